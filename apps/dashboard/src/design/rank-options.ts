/** Something that is chosen from a list by typing a part of it. `words`: what else it is found by. */
export interface Option {
  id: string;
  name: string;
  words?: string;
}

/** How well a text fits, smaller is better; null: not at all. Every word must occur in it. */
function fit({ name, words = '' }: Option, wanted: readonly string[]): number | null {
  const own = name.toLowerCase();
  const all = `${own} ${words.toLowerCase()}`;
  if (!wanted.every((word) => all.includes(word))) return null;
  const text = wanted.join(' ');
  if (own === text) return 0;
  if (own.startsWith(text)) return 1;
  if (wanted.every((word) => ` ${all}`.includes(` ${word}`))) return 2;
  return own.includes(text) ? 3 : 4;
}

/** The options that fit what was typed, the best first, and as they came among equals. */
export function rankOptions<Found extends Option>(options: readonly Found[], typed: string): Found[] {
  const wanted = typed.toLowerCase().split(/\s+/).filter(Boolean);
  if (wanted.length === 0) return [...options];
  return options
    .flatMap((option) => {
      const rank = fit(option, wanted);
      return rank === null ? [] : [{ option, rank }];
    })
    .toSorted((one, other) => one.rank - other.rank)
    .map(({ option }) => option);
}
