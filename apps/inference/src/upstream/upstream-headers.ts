import type { GenerationRequest, ProviderDefinition } from '@tollgate/contracts';
import type { ProviderEndpoint } from './provider-endpoint';

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

/** What a provider takes of a header `anthropic-beta`, null where nothing is left, and what it does not. */
export function takenBetas(
  header: string,
  { quirks }: ProviderDefinition,
): { taken: string | null; dropped: readonly string[] } {
  const names = namesIn(header);
  const dropped = names.filter((name) => quirks.dropBetas.includes(name));
  if (dropped.length === 0) return { taken: header, dropped };
  const taken = names.filter((name) => !dropped.includes(name)).join(',');
  return { taken: taken === '' ? null : taken, dropped };
}

/**
 * Betas of Anthropic's that change an answer by themselves, without a field in the body: what comes of
 * thoughts, how arguments of calls are streamed, how long a prompt or an answer may be. The others stand for
 * fields, whose own fate is told.
 * https://platform.claude.com/docs/en/api/beta-headers
 */
const tellsAlone =
  /^(?:redact-thinking|thinking-token-count|fine-grained-tool-streaming|token-efficient-tools|context-1m|output-\d+k)-/;

/**
 * What a caller must hear of betas: those that the provider does not take, and, where the request goes in
 * another format (`passes` false), those that mean nothing there.
 * https://developers.openai.com/api/docs/guides/responses-multi-agent
 */
export function lostBetas({ headers }: GenerationRequest, provider: ProviderDefinition, passes: boolean): string[] {
  const { 'anthropic-beta': anthropic = '', 'openai-beta': openai } = headers;
  if (anthropic === '' && openai === undefined) return [];
  if (passes)
    return takenBetas(anthropic, provider).dropped.map(
      (name) => `the beta ${name} was dropped: ${provider.name} does not take it`,
    );
  const elsewhere = `the request went to ${provider.name} in another format`;
  const alone = namesIn(anthropic).filter((name) => tellsAlone.test(name));
  return [
    ...(openai === undefined ? [] : [`the header openai-beta was dropped: ${elsewhere}`]),
    ...(alone.length === 0 ? [] : [`${alone.join(', ')} in anthropic-beta was dropped: ${elsewhere}`]),
  ];
}

function namesIn(header: string): string[] {
  return header
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');
}
