import { Refusal } from '../request/refusal';
import type { ErrorReply, WrittenError } from '../speech/simulated-dialect';

/** https://docs.cohere.com/reference/errors */
const messages: Readonly<Record<number, string>> = {
  400: 'invalid request: the request was refused by the sandbox',
  401: 'invalid api token',
  402: 'please add or update your payment method to continue',
  404: 'model not found, make sure the correct model ID was used and that you have access to the model.',
  429: 'You have exceeded your rate limit. Please try again later.',
  498: 'Invalid token',
  499: 'request cancelled by user',
  500: 'internal server error',
  503: 'the service is overloaded, please try again later',
  504: 'gateway timeout',
};

export function writeCohereError({ status, message }: ErrorReply): WrittenError {
  const told = message ?? messages[status] ?? `The sandbox was told to answer ${status}.`;
  return { body: JSON.stringify({ id: 'sandbox', message: told }) };
}

/** The prompt holds more than the model takes. */
export function cohereTooLong(inputTokens: number): Refusal {
  return new Refusal(
    `too many tokens: size limit exceeded by ${inputTokens} tokens. Try using shorter or fewer inputs, or setting prompt_truncation='AUTO'.`,
  );
}
