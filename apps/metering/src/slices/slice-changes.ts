import type { Attribution, SliceDimension } from '@tollgate/contracts/metering';
import type { UsageRow } from '../ingest/usage-row';

/**
 * What sums are divided by: see SliceDimension; and `tagged`, with one name alone, for what has any tag, as
 * what has several counts in each of them.
 */
export type SummedDimension = SliceDimension | 'tagged';
/** The name of the only slice by `tagged`. */
export const anyTag = 'any';
/**
 * The name of what is not told apart, as its names came after the most of their day. No event says an empty
 * name.
 */
export const others = '';

/**
 * What an event adds to the sums of those it was for. `endedAt` in epoch milliseconds. Negative: it is taken
 * out of them.
 */
export interface SliceChange {
  readonly key: string;
  readonly account: string;
  readonly model: string;
  readonly endedAt: number;
  readonly attribution: Attribution;
  readonly requests: number;
  readonly unpriced: number;
  readonly input: number;
  readonly output: number;
  readonly nanoUsd: bigint;
}

/** What rows change, and those whose place they take. Answers from the response cache are in no slice. */
export function sliceChangesOf(added: readonly UsageRow[], replaced: readonly UsageRow[]): SliceChange[] {
  return [...added.flatMap((row) => toChanges(row, 1)), ...replaced.flatMap((row) => toChanges(row, -1))];
}

function toChanges({ event, endedAt, costNanoUsd }: UsageRow, sign: 1 | -1): SliceChange[] {
  const { attribution, keyId: key, accountId: account, model, usage, cached } = event;
  if (!attribution || cached) return [];
  return [
    {
      key,
      account,
      model,
      endedAt,
      attribution,
      requests: sign,
      unpriced: costNanoUsd === null ? sign : 0,
      input: sign * usage.input,
      output: sign * usage.output,
      nanoUsd: BigInt(sign) * (costNanoUsd ?? 0n),
    },
  ];
}

/** The names that an event says, each once, by what they are names of. */
export function namesIn({ endUser, session, agent, tags = [] }: Attribution): [SummedDimension, readonly string[]][] {
  const some = (name: string | undefined): string[] => (name === undefined ? [] : [name]);
  return [
    ['end_user', some(endUser)],
    ['session', some(session)],
    ['agent', some(agent)],
    ['tag', [...new Set(tags)]],
    ['tagged', tags.length > 0 ? [anyTag] : []],
  ];
}
