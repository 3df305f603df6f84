import { Refusal } from '../request/refusal';
import type { ErrorReply, WrittenError } from '../speech/simulated-dialect';

/** https://platform.claude.com/docs/en/api/errors */
const wordings: Readonly<Record<number, [type: string, message: string]>> = {
  400: ['invalid_request_error', 'The request was refused by the sandbox.'],
  401: ['authentication_error', 'invalid x-api-key'],
  402: ['billing_error', 'Your credit balance is too low to access the Anthropic API.'],
  403: ['permission_error', 'Your API key does not have permission to use the specified resource.'],
  404: ['not_found_error', 'model: not found'],
  413: ['request_too_large', 'Request exceeds the maximum size'],
  429: ['rate_limit_error', "This request would exceed your organization's rate limit."],
  500: ['api_error', 'Internal server error'],
  504: ['timeout_error', 'The request timed out while processing.'],
  529: ['overloaded_error', 'Overloaded'],
};

export function writeMessageError({ status, message, type, more }: ErrorReply): WrittenError {
  const [usualType, usualMessage] = wordings[status] ?? ['api_error', `The sandbox was told to answer ${status}.`];
  return {
    body: errorBody(type ?? usualType, message ?? usualMessage, more),
    headers: { 'request-id': 'req_sandbox' },
  };
}

export function errorBody(type: string, message: string, details: object | null = null): string {
  return JSON.stringify({
    type: 'error',
    error: { type, message, ...(details && { details }) },
    request_id: 'req_sandbox',
  });
}

/** The prompt holds more than the model takes. */
export function messagesTooLong(inputTokens: number): Refusal {
  const most = 200_000;
  return new Refusal(`prompt is too long: ${most + inputTokens} tokens > ${most} maximum`);
}
