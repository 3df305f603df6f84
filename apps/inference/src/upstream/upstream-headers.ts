import type { GenerationRequest } from '@tollgate/contracts';
import type { ProviderEndpoint } from './provider-endpoint';
import { takenBetas } from './taken-betas';

/**
 * Never taken from a caller or a configuration file: what the gateway itself says, and what belongs to one
 * connection.
 */
const ownHeaders = new Set([
  'accept',
  'accept-encoding',
  'api-key',
  'authorization',
  'connection',
  'content-length',
  'cookie',
  'expect',
  'host',
  'keep-alive',
  'proxy-authorization',
  'te',
  'traceparent',
  'tracestate',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'user-agent',
  'x-amz-date',
  'x-amz-security-token',
  'x-api-key',
  'x-client-request-id',
  'x-goog-api-key',
]);

/**
 * The headers of one upstream request, names in lower case. The request id lets a provider's support find the
 * request;
 * so does the caller's trace, if there is one; an answer without content encoding is asked for because bytes
 * are passed on as they come. `native`: the provider speaks the caller's dialect, or the other one of the
 * same API; only then are the caller's own headers (versions, betas) of any meaning to it.
 */
export function upstreamHeaders(
  request: GenerationRequest,
  endpoint: ProviderEndpoint,
  dialectHeaders: Record<string, string>,
  native: boolean,
): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const source of [dialectHeaders, native ? request.headers : {}, endpoint.provider.headers]) {
    for (const name in source) {
      const value = source[name];
      const lowerName = name.toLowerCase();
      if (value !== undefined && !ownHeaders.has(lowerName)) headers[lowerName] = value;
    }
  }
  const betas = headers['anthropic-beta'];
  if (betas !== undefined) {
    const { taken } = takenBetas(betas, endpoint.provider);
    if (taken === null) delete headers['anthropic-beta'];
    else headers['anthropic-beta'] = taken;
  }
  headers['accept'] = dialectHeaders.accept ?? (request.stream ? 'text/event-stream' : 'application/json');
  headers['accept-encoding'] = 'identity';
  headers['user-agent'] = 'tollgate';
  headers['x-client-request-id'] = request.requestId;
  if (request.traceparent !== null) headers['traceparent'] = request.traceparent;
  return Object.assign(headers, endpoint.keyHeaders);
}
