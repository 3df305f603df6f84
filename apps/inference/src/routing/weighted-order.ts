/** A thing to choose, and how often against the others; 0: only after all others. */
export interface Weighted<Choice> {
  readonly choice: Choice;
  readonly name: string;
  readonly weight: number;
}

/**
 * The order in which `caller` tries the choices: weighted rendezvous hashing. Each caller has its own first
 * choice and keeps it; over many callers the first choices are shared out by weight. When a choice leaves,
 * only its callers move, to their next one; when one comes, it takes its share evenly.
 * See
 * https://www.snia.org/sites/default/files/SDC15_presentations/dist_sys/Jason_Resch_New_Consistent_Hashings_Rev.pdf
 */
export function weightedOrder<Choice>(choices: readonly Weighted<Choice>[], caller: string): Choice[] {
  const callerHash = hash(caller, 0x811c9dc5);
  return choices
    .map(({ choice, name, weight }) => {
      const fraction = fractionOf(hash(name, callerHash));
      // Without a weight the score is below that of every choice with one, and still the caller's own.
      return { choice, score: weight > 0 ? -weight / Math.log(fraction) : fraction - 1 };
    })
    .sort((one, other) => other.score - one.score)
    .map(({ choice }) => choice);
}

/** FNV-1a over the characters, begun at `seed`; 32 bits. */
function hash(text: string, seed: number): number {
  let sum = seed;
  for (let index = 0; index < text.length; index += 1) sum = Math.imul(sum ^ text.charCodeAt(index), 0x01000193);
  return sum >>> 0;
}

/** Spreads a hash evenly between 0 and 1, both excluded (the finalizer of MurmurHash3). */
function fractionOf(sum: number): number {
  let mixed = Math.imul(sum ^ (sum >>> 16), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return (((mixed ^ (mixed >>> 16)) >>> 0) + 0.5) / 2 ** 32;
}
