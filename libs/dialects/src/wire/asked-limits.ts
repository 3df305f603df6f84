import type { MemberRange } from './splice-object';

/** A member of a body that limits the output, and what it asks for. */
interface AskedLimit {
  name: string;
  asked: number;
}

/** The members with one of these names that hold a number. */
export function askedLimits(
  source: Uint8Array,
  members: readonly MemberRange[],
  names: readonly string[],
): AskedLimit[] {
  return names.flatMap((name) => {
    const member = members.findLast((each) => each.name === name);
    const asked = member ? Number(Buffer.from(source.subarray(member.valueStart, member.end)).toString()) : NaN;
    return asked > 0 ? [{ name, asked }] : [];
  });
}

/** The largest of some limits; undefined: there is none. */
export function largestOf(limits: readonly AskedLimit[]): number | undefined {
  return limits.length === 0 ? undefined : Math.max(...limits.map(({ asked }) => asked));
}
