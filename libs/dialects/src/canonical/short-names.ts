import { createHash } from 'node:crypto';
import type { UpstreamTarget } from '../provider-dialect';
import { inJson, type MemberRange, valueOf } from '../wire/splice-object';

/**
 * What callers of OpenAI's dialects name as they like, as warnings call it.
 * https://platform.openai.com/docs/api-reference/chat/create
 */
const callersNames = {
  user: 'the end user',
  safety_identifier: 'the end user',
  prompt_cache_key: 'prompt_cache_key',
};

/**
 * The names in a request of OpenAI's dialects that are longer than its provider takes, by their digests,
 * which tell them apart as well. Empty: none of them, or the provider has no such bound.
 */
export function shortNames(
  said: (field: string) => unknown,
  { provider }: Pick<UpstreamTarget, 'provider'>,
  warnings: string[],
): Record<string, string> {
  const { longestName: longest } = provider.quirks;
  if (longest === null) return {};
  const told = new Set<string>();
  const short = Object.entries(callersNames).flatMap(([field, what]) => {
    const name = said(field);
    if (typeof name !== 'string' || name.length <= longest) return [];
    told.add(digestTold(what, longest));
    return [[field, shortName(name, longest)] as const];
  });
  warnings.push(...told);
  return Object.fromEntries(short);
}

/** The members that take the places of those in a native request. */
export function shortNamesIn(
  source: Uint8Array,
  members: readonly MemberRange[],
  target: Pick<UpstreamTarget, 'provider'>,
  warnings: string[],
): Record<string, Uint8Array> {
  const short = shortNames((field) => valueOf(source, members, field), target, warnings);
  return Object.fromEntries(Object.entries(short).map(([field, name]) => [field, inJson(name)]));
}

/** What a caller is told of a name that became its digest. */
export function digestTold(what: string, longest: number): string {
  return `${what} became a digest of it: at most ${longest} characters are taken`;
}

/**
 * A text of at most `most` characters: a longer one is told by its digest, the same every time. `most`: at
 * least 32, so that digests stay apart.
 */
export function shortName(text: string, most = 64): string {
  return text.length <= most ? text : createHash('sha256').update(text).digest('hex').slice(0, most);
}
