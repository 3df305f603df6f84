import type { GenerationRequest } from '@tollgate/contracts';
import type { ProviderEndpoint } from './provider-endpoint';

/** Never taken from a caller or a configuration file: what the gateway itself says, and what belongs to one connection. */
const ownHeaders = new Set([
  'accept',
  'accept-encoding',
  'authorization',
  'connection',
  'content-length',
  'cookie',
  'expect',
  'host',
  'keep-alive',
  'proxy-authorization',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'user-agent',
  'x-api-key',
  'x-client-request-id',
]);

/**
 * The headers of one upstream request, names in lower case. The request id lets a provider's support find the request;
 * an answer without content encoding is asked for because bytes are passed on as they come.
 */
export function upstreamHeaders(
  request: GenerationRequest,
  endpoint: ProviderEndpoint,
  dialectHeaders: Record<string, string>,
): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const source of [request.headers, endpoint.provider.headers, dialectHeaders]) {
    for (const name in source) {
      const value = source[name];
      const lowerName = name.toLowerCase();
      if (value !== undefined && !ownHeaders.has(lowerName)) headers[lowerName] = value;
    }
  }
  headers['accept'] = request.stream ? 'text/event-stream' : 'application/json';
  headers['accept-encoding'] = 'identity';
  headers['user-agent'] = 'tollgate';
  headers['x-client-request-id'] = request.requestId;
  if (endpoint.apiKey !== null) headers['authorization'] = `Bearer ${endpoint.apiKey}`;
  return headers;
}
