/** A set of UTF-16 code units. */
export type CharacterSet = (unit: number) => boolean;

const code = (text: string) => text.charCodeAt(0);

/** Letters, digits and the underscore, of ASCII: what `\w` means without flags. */
export function isWordUnit(unit: number): boolean {
  return (
    (unit >= code('a') && unit <= code('z')) ||
    (unit >= code('A') && unit <= code('Z')) ||
    (unit >= code('0') && unit <= code('9')) ||
    unit === code('_')
  );
}

const digits: CharacterSet = (unit) => unit >= code('0') && unit <= code('9');
const spaces: CharacterSet = (unit) => /\s/.test(String.fromCharCode(unit));

/** The sets that a backslash and a letter name. */
export const namedSets: Readonly<Partial<Record<string, CharacterSet>>> = {
  d: digits,
  D: not(digits),
  w: isWordUnit,
  W: not(isWordUnit),
  s: spaces,
  S: not(spaces),
};

/** Everything but the ends of lines. */
export const anyUnit: CharacterSet = (unit) => unit !== 0x0a && unit !== 0x0d && unit !== 0x2028 && unit !== 0x2029;

export function not(set: CharacterSet): CharacterSet {
  return (unit) => !set(unit);
}

export function oneUnit(wanted: number): CharacterSet {
  return (unit) => unit === wanted;
}

export function unitRange(first: number, last: number): CharacterSet {
  return (unit) => unit >= first && unit <= last;
}

export function anyOf(sets: readonly CharacterSet[]): CharacterSet {
  return (unit) => sets.some((set) => set(unit));
}

/** The set with the other case of each of its letters. */
export function ignoringCase(set: CharacterSet): CharacterSet {
  return (unit) => {
    if (set(unit)) return true;
    const letter = String.fromCharCode(unit);
    const [lower, upper] = [letter.toLowerCase(), letter.toUpperCase()];
    return (lower.length === 1 && set(lower.charCodeAt(0))) || (upper.length === 1 && set(upper.charCodeAt(0)));
  };
}
