import { renderError } from './render';

/** How OpenAI words its errors: https://platform.openai.com/docs/guides/error-codes */
const wordings: Readonly<Record<number, { message: string; type: string; code: string | null }>> = {
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

/** The answer with an error status. As OpenAI does, a 401 shows a part of the key it was given. */
export function errorAnswer(
  status: number,
  retryAfterS: number | null,
  authorization: string,
): { headers: Record<string, string>; body: string } {
  const headers: Record<string, string> = { 'content-type': 'application/json' };
  if (retryAfterS !== null) headers['retry-after'] = String(retryAfterS);
  if (status === 401) {
    const key = authorization.replace(/^Bearer\s+/i, '');
    const message = `Incorrect API key provided: ${key.slice(0, 8)}********${key.slice(-4)}. You can find your API key in your account settings.`;
    return { headers, body: renderError(message, 'invalid_request_error', null, 'invalid_api_key') };
  }
  const { message, type, code } = wordings[status] ?? {
    message: `The sandbox was told to answer ${status}.`,
    type: 'server_error',
    code: null,
  };
  return { headers, body: renderError(message, type, null, code) };
}
