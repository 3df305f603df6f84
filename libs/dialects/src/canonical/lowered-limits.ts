import type { UpstreamTarget } from '../provider-dialect';
import type { MemberRange } from '../wire/splice-object';
import { outputLimitWarning } from './fit-request';
import { mostOutput } from './most-output';

/** A member of a body that asks for more output than there can be, and what the caller is told of it. */
interface LoweredLimit {
  name: string;
  most: number;
  warning: string;
}

/**
 * The members with one of these names whose number is above what this model can write in answer to the body.
 * `countInput` counts its tokens, and is called as `mostOutput` says.
 */
export function loweredLimits(
  source: Uint8Array,
  members: readonly MemberRange[],
  names: readonly string[],
  target: UpstreamTarget,
  countInput: () => number,
): LoweredLimit[] {
  const limits = names.flatMap((name) => {
    const member = members.findLast((each) => each.name === name);
    const asked = member ? Number(Buffer.from(source.subarray(member.valueStart, member.end)).toString()) : NaN;
    return asked > 0 ? [{ name, asked }] : [];
  });
  if (limits.length === 0) return [];
  const largest = Math.max(...limits.map(({ asked }) => asked));
  const most = mostOutput(target, largest, source.byteLength, countInput) ?? Infinity;
  return limits
    .filter(({ asked }) => asked > most)
    .map(({ name, asked }) => ({ name, most, warning: outputLimitWarning(asked, most) }));
}
