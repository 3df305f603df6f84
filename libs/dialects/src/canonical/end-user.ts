import type { UpstreamTarget } from '../provider-dialect';
import { inJson, valueOf, type MemberRange } from '../wire/splice-object';
import type { CanonicalRequest } from './generation-request';
import { shortName } from './short-name';

/**
 * OpenAI takes 64 characters: https://github.com/maximhq/bifrost/pull/1000; Claude Code's `metadata.user_id`
 * has 150.
 */
const longestUser = 64;

/**
 * The caller's name for its end user, told by its digest where it is too long, which tells end users apart as
 * well.
 */
export function endUser(
  { user }: Pick<CanonicalRequest, 'user'>,
  warnings: string[],
  longest = longestUser,
): string | undefined {
  if (user === undefined || user.length <= longest) return user;
  warnings.push(`the end user became a digest of it: at most ${longest} characters are taken`);
  return shortName(user, longest);
}

/** By what OpenAI's dialects name the end user. https://platform.openai.com/docs/api-reference/chat/create */
const userFields = ['user', 'safety_identifier'];

/**
 * The members of a native request of OpenAI's two dialects that name the end user at more length than its
 * provider takes, as they are sent instead. Empty: none of them, or the provider has no such bound.
 */
export function shortUsers(
  source: Uint8Array,
  members: readonly MemberRange[],
  { provider }: Pick<UpstreamTarget, 'provider'>,
  warnings: string[],
): Record<string, Uint8Array> {
  const { longestUser: longest } = provider.quirks;
  if (longest === null) return {};
  const told: string[] = [];
  const short = userFields.flatMap((name) => {
    const said = valueOf(source, members, name);
    if (typeof said !== 'string' || said.length <= longest) return [];
    return [[name, inJson(endUser({ user: said }, told, longest))] as const];
  });
  warnings.push(...new Set(told));
  return Object.fromEntries(short);
}
