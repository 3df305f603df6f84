import { endUser } from '../canonical/end-user';
import { mostOutput } from '../canonical/most-output';
import type { UpstreamTarget } from '../provider-dialect';
import { isRecord, recordIn, textIn } from '../wire/json-value';
import { inJson, valueOf, type MemberRange } from '../wire/splice-object';
import { isClaude } from './model-facts';

/**
 * https://platform.claude.com/docs/en/api/messages#metadata as quoted in
 * https://github.com/vercel/ai/pull/12419
 */
export const longestUserId = 256;

interface LimitEdits {
  set: Record<string, Uint8Array>;
  warnings: string[];
}

/**
 * What a native request of Claude's may hold: a user by a name that is not too long, and a budget of thoughts
 * that leaves room under the limit of its output, which may have been lowered.
 */
export function withinLimits(source: Uint8Array, members: readonly MemberRange[], target: UpstreamTarget): LimitEdits {
  const edits: LimitEdits = { set: {}, warnings: [] };
  if (!isClaude(target.upstreamModel)) return edits;
  const metadata = valueOf(source, members, 'metadata');
  const named = textIn(metadata, 'user_id') ?? undefined;
  const user = endUser({ user: named }, edits.warnings, longestUserId);
  if (isRecord(metadata) && user !== named) edits.set.metadata = inJson({ ...metadata, user_id: user });
  setBudget(source, members, target, edits);
  return edits;
}

function setBudget(
  source: Uint8Array,
  members: readonly MemberRange[],
  target: UpstreamTarget,
  edits: LimitEdits,
): void {
  const thinking = valueOf(source, members, 'thinking');
  const { budget_tokens: budget } = recordIn({ thinking }, 'thinking');
  const most = mostOutput(target, undefined, 0, () => 0);
  const asked = Number(valueOf(source, members, 'max_tokens'));
  if (most === null || asked <= most || typeof budget !== 'number' || budget < most || !isRecord(thinking)) return;
  edits.set.thinking = inJson({ ...thinking, budget_tokens: most - 1 });
  edits.warnings.push(
    `the reasoning budget of ${budget} tokens became ${most - 1}: it must be less than the output limit`,
  );
}
