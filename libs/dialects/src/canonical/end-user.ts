import type { CanonicalRequest } from './generation-request';
import { shortName, digestTold } from './short-names';

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
  const told = digestTold('the end user', longest);
  // Its `safety_identifier` may have been told of before.
  if (!warnings.includes(told)) warnings.push(told);
  return shortName(user, longest);
}
