import type { MemberRange } from './splice-object';

/** A member of a body that limits the output, and what was asked. */
interface LoweredLimit {
  name: string;
  asked: number;
}

/** The members with one of these names whose number is above `most`. `most` null: there is no limit. */
export function limitsAbove(
  source: Uint8Array,
  members: readonly MemberRange[],
  names: readonly string[],
  most: number | null,
): LoweredLimit[] {
  if (most === null) return [];
  return names.flatMap((name) => {
    const member = members.findLast((each) => each.name === name);
    const asked = member ? Number(Buffer.from(source.subarray(member.valueStart, member.end)).toString()) : 0;
    return asked > most ? [{ name, asked }] : [];
  });
}
