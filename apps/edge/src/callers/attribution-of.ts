import { createHash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { GatewayError } from '@tollgate/contracts';
import { longestAttributionName, mostTags, tagForm, type Attribution } from '@tollgate/contracts/metering';
import { isRecord, parseJson } from '@tollgate/dialects/surface';

/** Tags of a request: names with or without a value, with commas between them. */
const tagsHeader = 'x-tollgate-tags';

/** In which headers clients say which conversation a request belongs to, the most telling first. */
const sessionHeaders = [
  // https://code.claude.com/docs/en/llm-gateway-protocol
  'x-claude-code-session-id',
  // https://github.com/anomalyco/opencode/blob/dev/packages/opencode/src/session/llm/request.ts
  'x-session-affinity',
  'x-session-id',
  // https://github.com/openai/codex/blob/main/codex-rs/codex-api/src/requests/headers.rs
  'session_id',
  'session-id',
] as const;

/**
 * No parenthesis in front, as reports name so what has no name; no control characters, none that break a
 * line or turn its direction.
 */
const readable = /^(?!\()[^\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}\ud800-\udfff]+$/u;
const nothingIsHidden = (_name: string): boolean => false;
/** So many characters of a name are looked at. */
const mostRead = 4_096;

/**
 * For whom a request is made, as its headers and its body (`endUser`, see SurfaceRequest) say; `program` is
 * what its client calls itself. Undefined: they say nothing. Names that are too long, that nobody could
 * read, or that are not to be told (`isHidden`) are told by their digest. `tagsOfKey`: what its key is called
 * by, which comes first and is never hidden.
 * @throws GatewayError 400 for tags of another form, and for too many.
 */
export function attributionOf(
  headers: IncomingHttpHeaders,
  told: string | undefined,
  program: unknown,
  isHidden = nothingIsHidden,
  tagsOfKey: readonly string[] = [],
): Attribution | undefined {
  const foreign = foreignAttribution(headers);
  const tags = tagsOf(headers, foreign.tags, tagsOfKey, (tag) => (isHidden(tag) ? digestOf(tag) : tag));
  const agent = agentOf(program);
  const ofBody = told === undefined ? undefined : endUserAndSession(told);
  const endUser = nameOf(foreign.endUser ?? ofBody?.endUser, isHidden);
  const session = nameOf(sessionIn(headers) ?? foreign.session ?? ofBody?.session, isHidden);
  if (!tags && agent === undefined && endUser === undefined && session === undefined) return undefined;
  return {
    ...(endUser !== undefined && { endUser }),
    ...(session !== undefined && { session }),
    ...(agent !== undefined && { agent }),
    ...(tags && { tags }),
  };
}

function sessionIn(headers: IncomingHttpHeaders): string | undefined {
  for (const name of sessionHeaders) {
    const value = headers[name];
    if (typeof value === 'string' && value !== '') return value;
  }
  return undefined;
}

/** As what an end user or a session that is told so is kept; undefined: as nothing. */
export function nameOf(told: string | undefined, isHidden = nothingIsHidden): string | undefined {
  if (told === undefined) return undefined;
  const name = told.slice(0, mostRead).trim();
  if (name === '') return undefined;
  const isTold = name.length <= longestAttributionName && readable.test(name) && !isHidden(name);
  return isTold ? name : digestOf(name);
}

function digestOf(name: string): string {
  return createHash('sha256').update(name).digest('hex');
}

/**
 * Those of the key, then those in our own header, else what fits of those that were not meant for us.
 * `asTold`: what a tag of the request is told by. Undefined: there is none.
 */
function tagsOf(
  headers: IncomingHttpHeaders,
  foreign: readonly string[],
  ofKey: readonly string[],
  asTold: (tag: string) => string,
): string[] | undefined {
  const own = headers[tagsHeader];
  const isOurs = typeof own === 'string';
  const asked = isOurs ? listIn(own.split(',')).map(checked) : listIn(foreign).filter(isTag);
  const tags = [...new Set([...ofKey, ...asked.map(asTold)])];
  if (isOurs && tags.length > mostTags)
    throw new GatewayError(
      400,
      `The header '${tagsHeader}' must hold at most ${mostTags} tags${ofKey.length > 0 ? `, the ${ofKey.length} of the API key among them` : ''}.`,
    );
  return tags.length === 0 ? undefined : tags.slice(0, mostTags);
}

function listIn(parts: readonly string[]): string[] {
  return parts.map((tag) => tag.trim()).filter((tag) => tag !== '');
}

function isTag(tag: string): boolean {
  return tag.length <= longestAttributionName && tagForm.test(tag);
}

function checked(tag: string): string {
  if (isTag(tag)) return tag;
  throw new GatewayError(
    400,
    `The header '${tagsHeader}' must hold tags with commas between them, each a name or name=value of at most ` +
      `${longestAttributionName} of the characters A-Z, a-z, 0-9 and _.:/@+- (in a value spaces, too).`,
  );
}

/**
 * Programs by how what they call themselves begins: their header `originator`, where they have one, else
 * their user agent. Only these are told of in reports, so that there are never more than a few.
 */
const agents: readonly (readonly [begins: RegExp, name: string])[] = [
  // https://github.com/griffinmartin/opencode-claude-auth/pull/109: claude-cli/<version> (external, cli)
  [/^claude-(?:cli|code)\//, 'claude-code'],
  // https://github.com/openai/codex/blob/main/codex-rs/login/src/auth/default_client.rs
  [/^codex[_ -]/i, 'codex'],
  // https://github.com/anomalyco/opencode/blob/dev/packages/opencode/src/session/llm/request.ts
  [/^opencode\d?\//, 'opencode'],
  // https://github.com/QwenLM/qwen-code/blob/main/packages/core/src/core/openaiContentGenerator/provider/default.ts
  [/^QwenCode\//, 'qwen-code'],
  // https://github.com/charmbracelet/crush/blob/main/internal/agent/agent.go
  [/^Charm-Crush\//, 'crush'],
  // https://github.com/cline/cline/blob/main/sdk/packages/llms/src/providers/request-headers.ts
  [/^Cline\//, 'cline'],
  // https://github.com/RooCodeInc/Roo-Code/blob/main/src/api/providers/constants.ts
  [/^RooCode\//, 'roo-code'],
  // https://github.com/Kilo-Org/kilocode/blob/main/src/api/providers/constants.ts
  [/^Kilo-Code\//, 'kilo-code'],
];

/** Which of the known agents calls itself so; undefined: none of them. */
function agentOf(program: unknown): string | undefined {
  return typeof program === 'string' ? agents.find(([begins]) => begins.test(program))?.[1] : undefined;
}

/** Longer ones are no ids of Claude Code's, characters. */
const longestId = 1_024;
/** As versions before 2.1.78 wrote it. */
const joined = /^(user_.+)_session_([\w-]+)$/;

/** Whom a body says that it is for. */
interface Told {
  readonly endUser: string;
  readonly session?: string;
}

/**
 * An end user as the caller says it. Claude Code puts its session into the same text
 * (`user_<digest>_account_<id>_session_<id>`, or JSON with `device_id`, `account_uuid` and `session_id`):
 * without it, all sessions of a person are one end user's.
 * https://github.com/ding113/claude-code-hub/pull/939
 */
function endUserAndSession(told: string): Told {
  if (told.length > longestId) return { endUser: told };
  const [, endUser, session] = joined.exec(told) ?? [];
  if (endUser !== undefined && session !== undefined) return { endUser, session };
  const parts = told.startsWith('{') ? parseJson(told) : undefined;
  if (!isRecord(parts) || typeof parts.session_id !== 'string') return { endUser: told };
  const { account_uuid: account, device_id: device } = parts;
  const name = typeof account === 'string' && account !== '' ? account : device;
  return { endUser: typeof name === 'string' ? name : told, session: parts.session_id };
}

/**
 * In which headers callers of LiteLLM name their end user, the one that counts first in front.
 * https://docs.litellm.ai/docs/proxy/legacy_end_users
 */
const endUserHeaders = ['x-litellm-customer-id', 'x-litellm-end-user-id'] as const;
/** https://docs.litellm.ai/docs/proxy/request_headers */
const foreignTagsHeader = 'x-litellm-tags';
/**
 * A JSON object of Portkey's callers, in which `_user` is the end user.
 * https://portkey.ai/docs/product/observability/metadata
 */
const metadataHeader = 'x-portkey-metadata';
/** How applications call themselves to OpenRouter. https://openrouter.ai/docs/features/app-attribution */
const titleHeaders = ['x-openrouter-title', 'x-title'] as const;
const addressHeader = 'http-referer';
/** What is another for each request, conversation or person says nothing of what many of them cost. */
const isOfFew =
  /^(?:_user|(?:(?:request|trace|span|session|conversation|thread|message|chat|run|event|user)[_-]?id)|timestamp|(?:created|sent|started)[_-]?at|date|time)$/i;
const isSession = /^session[_-]?id$/i;

/** What callers that came from another gateway say of a request. */
interface ForeignAttribution {
  /** Undefined: they say none. */
  endUser: string | undefined;
  session: string | undefined;
  /** Names or `name=value`, not all of a form that is kept. */
  tags: readonly string[];
}

const nothing: ForeignAttribution = { endUser: undefined, session: undefined, tags: [] };

/**
 * Reads headers that were not meant for us: nothing of them is refused, and what nobody can read is nothing.
 */
function foreignAttribution(headers: IncomingHttpHeaders): ForeignAttribution {
  const list = headers[foreignTagsHeader];
  const metadata = metadataOf(headers[metadataHeader]);
  const endUser = firstOf(headers, endUserHeaders) ?? metadata?._user;
  const app = appOf(headers);
  if (list === undefined && metadata === null && endUser === undefined && app === undefined) return nothing;
  return {
    endUser,
    session: Object.entries(metadata ?? {}).find(([name]) => isSession.test(name))?.[1],
    tags: [
      ...(typeof list === 'string' ? list.split(',') : []),
      ...Object.entries(metadata ?? {}).flatMap(([name, value]) => tagOf(name, value)),
      ...(app === undefined ? [] : [`app=${app}`]),
    ],
  };
}

function firstOf(headers: IncomingHttpHeaders, names: readonly string[]): string | undefined {
  for (const name of names) {
    const value = headers[name];
    if (typeof value === 'string' && value.trim() !== '') return value;
  }
  return undefined;
}

/** Texts by their names; null: there is none, or it is no JSON object. */
function metadataOf(header: string | string[] | undefined): Record<string, string> | null {
  if (typeof header !== 'string') return null;
  try {
    const said: unknown = JSON.parse(header);
    if (typeof said !== 'object' || said === null || Array.isArray(said)) return null;
    const texts = Object.entries(said).flatMap(([name, value]) =>
      typeof value === 'string' || typeof value === 'number' ? [[name, String(value)] as const] : [],
    );
    return Object.fromEntries(texts);
  } catch {
    return null;
  }
}

function tagOf(name: string, value: string): string[] {
  return isOfFew.test(name) ? [] : [`${name}=${value}`];
}

/** The title of an application, else the host of its address. */
function appOf(headers: IncomingHttpHeaders): string | undefined {
  const title = firstOf(headers, titleHeaders);
  if (title !== undefined) return title.trim();
  const address = headers[addressHeader];
  return typeof address === 'string' && URL.canParse(address) ? new URL(address).host || undefined : undefined;
}
