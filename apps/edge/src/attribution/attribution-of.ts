import { GatewayError, longestAttributionName, mostTags } from '@tollgate/contracts';
import type { Attribution } from '@tollgate/contracts';
import { createHash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { endUserAndSession } from './claude-code-user';
import { foreignAttribution } from './foreign-headers';
import { agentOf } from './known-agents';

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

const tagForm = /^[\w.:/@+-]+(?:=[\w.:/@+ -]*)?$/;

/**
 * For whom a request is made, as its headers and its body (`endUser`, see SurfaceRequest) say; `program` is
 * what its client calls itself. Undefined: they say nothing. Names that are too long, that nobody could
 * read, or that are not to be told (`isHidden`) are told by their digest.
 * @throws GatewayError 400 for tags of another form.
 */
export function attributionOf(
  headers: IncomingHttpHeaders,
  told: string | undefined,
  program: unknown,
  isHidden = nothingIsHidden,
): Attribution | undefined {
  const foreign = foreignAttribution(headers);
  const tags = tagsOf(headers, foreign.tags)?.map((tag) => (isHidden(tag) ? digestOf(tag) : tag));
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

/** Those in our own header, else what fits of those that were not meant for us. */
function tagsOf(headers: IncomingHttpHeaders, foreign: readonly string[]): string[] | undefined {
  const own = headers[tagsHeader];
  if (typeof own === 'string') return someOf(listIn(own.split(',')).map(checked), true);
  return foreign.length === 0 ? undefined : someOf(listIn(foreign).filter(isTag), false);
}

function listIn(parts: readonly string[]): string[] {
  return parts.map((tag) => tag.trim()).filter((tag) => tag !== '');
}

function someOf(listed: string[], isStrict: boolean): string[] | undefined {
  const tags = [...new Set(listed)];
  if (isStrict && tags.length > mostTags)
    throw new GatewayError(400, `The header '${tagsHeader}' must hold at most ${mostTags} tags.`);
  return tags.length === 0 ? undefined : tags.slice(0, mostTags);
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
