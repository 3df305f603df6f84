import { createHash } from 'node:crypto';
import type { Authentication, ProviderDefinition } from '@tollgate/contracts/catalog';
import type { GenerationRequest } from '@tollgate/contracts/inference';
import { SealedElsewhere, sealerOf } from '@tollgate/dialects';
import type { Credential } from '../credentials/credential';
import type { RequestAuthorizer } from './request-authorizer';

/**
 * One of the keys of a provider that has several. Never log one. `number`: 1 for the first that was given, 0
 * for one that an account brought; `account`: a name for it, of all but the first (see UpstreamTarget).
 */
export interface PooledKey {
  readonly number: number;
  readonly account?: string;
  readonly apiKey: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** Where a provider's requests go, and with which credential. Never log one: it holds secrets. */
export interface ProviderEndpoint {
  readonly provider: ProviderDefinition;
  /** True when the sandbox answers here. */
  readonly simulated: boolean;
  /** Scheme, host and port: the only place this credential is ever sent to. */
  readonly origin: string;
  /** The path of the base URL without its last slash. */
  readonly basePath: string;
  /** Null: the provider needs none, or has another kind of credential. */
  readonly apiKey: string | null;
  /**
   * The headers that carry the key, the same for every request; at a simulated provider that which names the
   * provider it stands for.
   */
  readonly keyHeaders: Readonly<Record<string, string>>;
  /** All keys, where there are several; `apiKey` is the first, unless one was chosen (`withKey`). */
  readonly pool: readonly PooledKey[];
  /** True: connections are made to addresses of the internet alone. */
  readonly internetOnly: boolean;
  /** Null: `keyHeaders` are all it takes. */
  readonly authorizer: RequestAuthorizer | null;
  /** True: it is asked with a key that the caller's account brought. */
  readonly isOwnKey: boolean;
}

/** The endpoint of a provider at `baseUrl`: its own, or that of its simulation. */
export function providerEndpoint(
  provider: ProviderDefinition,
  baseUrl: string,
  credential: Credential,
  authorizer: RequestAuthorizer | null = null,
  simulated = false,
  internetOnly = provider.isLive && !simulated,
): ProviderEndpoint {
  const url = new URL(baseUrl);
  const apiKey = credential.kind === 'key' ? credential.key : null;
  return {
    provider,
    simulated,
    origin: url.origin,
    basePath: url.pathname.replace(/\/+$/, ''),
    apiKey,
    keyHeaders: simulated
      ? { 'x-simulated-provider': provider.id }
      : apiKey === null
        ? {}
        : keyHeaders(provider.authentication, apiKey),
    pool: simulated ? [] : poolOf(provider.authentication, credential),
    internetOnly,
    authorizer,
    isOwnKey: false,
  };
}

/** The same place, asked with this one of its keys. */
export function withKey(endpoint: ProviderEndpoint, { apiKey, headers }: PooledKey): ProviderEndpoint {
  return { ...endpoint, apiKey, keyHeaders: headers };
}

/** The same place, asked with this key of the caller's account alone, and nothing of the operator's. */
export function withOwnKey(endpoint: ProviderEndpoint, key: PooledKey): ProviderEndpoint {
  return { ...withKey(endpoint, key), pool: [key], authorizer: null, isOwnKey: true };
}

/** A key that an account brought: what is sealed with it is sealed for another account than the operator's. */
export function ownKeyOf({ authentication }: Pick<ProviderDefinition, 'authentication'>, apiKey: string): PooledKey {
  return { number: 0, account: accountOf(apiKey), apiKey, headers: keyHeaders(authentication, apiKey) };
}

/** Empty: there is one key, or none. */
function poolOf(authentication: Authentication, credential: Credential): PooledKey[] {
  if (credential.kind !== 'key' || !credential.more) return [];
  return [credential.key, ...credential.more].map((apiKey, index) => ({
    number: index + 1,
    ...(index > 0 && { account: accountOf(apiKey) }),
    apiKey,
    headers: keyHeaders(authentication, apiKey),
  }));
}

function accountOf(apiKey: string): string {
  return digestOf(apiKey).slice(0, 8);
}

/** Tells a key from another one in its place, and too little of it to try keys against. */
export function markOf({ apiKey }: PooledKey): string {
  return digestOf(`mark ${apiKey}`).slice(0, 4);
}

function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

/** What a server has beside its API: the same place without the `/v1` of its base URL. */
export function besideV1(endpoint: ProviderEndpoint): ProviderEndpoint {
  return { ...endpoint, basePath: endpoint.basePath.replace(/\/v1$/, '') };
}

function keyHeaders(authentication: Authentication, key: string): Record<string, string> {
  switch (authentication) {
    case 'x-api-key':
    case 'x-goog-api-key':
    case 'api-key':
      return { [authentication]: key };
    // Bedrock takes its API keys as bearer tokens:
    // https://docs.aws.amazon.com/bedrock/latest/userguide/api-keys-use.html
    case 'aws':
    case 'bearer':
    case 'google':
      return { authorization: `Bearer ${key}` };
  }
}

/**
 * What `make` makes for this key; where the conversation was compacted with another one of the provider's,
 * which alone can read it, for that one. `refused`: keys that are not asked any more.
 * @throws what `make` throws.
 */
export function withReadingKey<Made>(
  { provider, pool }: ProviderEndpoint,
  key: PooledKey | null,
  refused: ReadonlySet<PooledKey>,
  make: (key: PooledKey | null) => Made,
): Made {
  try {
    return make(key);
  } catch (error) {
    if (!(error instanceof SealedElsewhere)) throw error;
    const reading = pool.find((each) => !refused.has(each) && sealerOf({ provider, ...each }) === error.sealer);
    if (!reading) throw error;
    return make(reading);
  }
}

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
