import { Refusal } from '../request/refusal';
import type { ErrorReply, WrittenError } from '../speech/simulated-dialect';

/** https://ai.google.dev/gemini-api/docs/troubleshooting */
const wordings: Readonly<Record<number, [status: string, message: string]>> = {
  400: ['INVALID_ARGUMENT', 'The request was refused by the sandbox.'],
  401: ['UNAUTHENTICATED', 'Request had invalid authentication credentials.'],
  403: ['PERMISSION_DENIED', 'The caller does not have permission'],
  404: ['NOT_FOUND', 'The model is not found.'],
  429: ['RESOURCE_EXHAUSTED', 'You exceeded your current quota, please check your plan and billing details.'],
  499: ['CANCELLED', 'The operation was cancelled.'],
  500: ['INTERNAL', 'An internal error has occurred. Please retry.'],
  503: ['UNAVAILABLE', 'The model is overloaded. Please try again later.'],
  504: ['DEADLINE_EXCEEDED', 'The service is unable to finish processing within the deadline.'],
};

/**
 * Google's error object. A wait is told in its details:
 * https://cloud.google.com/apis/design/errors#retry_info
 */
export function writeGenerationError({ status, message, param, retryAfterS }: ErrorReply): WrittenError {
  const [word, usual] = wordings[status] ?? ['INTERNAL', `The sandbox was told to answer ${status}.`];
  const details = [
    ...(param === null
      ? []
      : [
          {
            '@type': 'type.googleapis.com/google.rpc.BadRequest',
            fieldViolations: [{ field: param, description: message ?? usual }],
          },
        ]),
    ...(retryAfterS === null
      ? []
      : [{ '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: `${retryAfterS}s` }]),
  ];
  const error = { code: status, message: message ?? usual, status: word, ...(details.length > 0 && { details }) };
  return { body: JSON.stringify({ error }) };
}

/** The prompt holds more than the model takes. */
export function generationTooLong(inputTokens: number): Refusal {
  const most = 1_048_576;
  return new Refusal(
    `The input token count (${most + inputTokens}) exceeds the maximum number of tokens allowed (${most}).`,
  );
}
