import type { Counted } from '../people/throttle';

/**
 * Tries of codes, for one person, whatever they are told for: of five and then some 100 a day at most, each
 * of a million codes of which three are right.
 */
export function triesOf(personId: string): Counted {
  return { subject: `second-factor:${personId}`, free: 5 };
}
