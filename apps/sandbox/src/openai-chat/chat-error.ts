import { Refusal } from '../request/refusal';
import type { ErrorReply, WrittenError } from '../speech/simulated-dialect';

interface Wording {
  message: string;
  type: string;
  code: string | null;
}

/** How OpenAI words its errors: https://platform.openai.com/docs/guides/error-codes */
const wordings: Readonly<Record<number, Wording>> = {
  400: { message: 'The request was refused by the sandbox.', type: 'invalid_request_error', code: null },
  402: { message: 'Insufficient balance.', type: 'invalid_request_error', code: 'insufficient_balance' },
  403: {
    message: 'Country, region, or territory not supported.',
    type: 'request_forbidden',
    code: 'unsupported_country_region_territory',
  },
  404: {
    message: 'The model does not exist or you do not have access to it.',
    type: 'invalid_request_error',
    code: 'model_not_found',
  },
  429: {
    message: 'Rate limit reached in organization org-sandbox on requests per min (RPM).',
    type: 'requests',
    code: 'rate_limit_exceeded',
  },
  500: {
    message: 'The server had an error while processing your request. Sorry about that!',
    type: 'server_error',
    code: null,
  },
  503: {
    message: 'The engine is currently overloaded, please try again later.',
    type: 'service_unavailable',
    code: null,
  },
  529: { message: 'Overloaded.', type: 'overloaded_error', code: null },
};

/**
 * OpenAI's error object, or `more` where the model's maker has another. A 401 shows a part of the key that it
 * was given, as OpenAI's does.
 */
export function writeChatError(reply: ErrorReply): WrittenError {
  if (reply.more) return { body: JSON.stringify(reply.more) };
  const { message, type, code } = wordingOf(reply);
  return { body: JSON.stringify({ error: { message, type, param: reply.param, code } }) };
}

/** The prompt holds more than the model takes. */
export function chatTooLong(inputTokens: number): Refusal {
  const most = 128_000;
  const message = `This model's maximum context length is ${most} tokens. However, your messages resulted in ${most + inputTokens} tokens. Please reduce the length of the messages.`;
  return new Refusal(message, { param: 'messages', code: 'context_length_exceeded' });
}

function wordingOf({ status, message, type, code, key }: ErrorReply): Wording {
  if (message !== null) return { message, type: type ?? 'invalid_request_error', code };
  if (status === 401) {
    const shown = `${key.slice(0, 8)}********${key.slice(-4)}`;
    return {
      message: `Incorrect API key provided: ${shown}. You can find your API key in your account settings.`,
      type: 'invalid_request_error',
      code: 'invalid_api_key',
    };
  }
  return wordings[status] ?? { message: `The sandbox was told to answer ${status}.`, type: 'server_error', code: null };
}
