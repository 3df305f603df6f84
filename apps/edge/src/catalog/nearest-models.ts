import type { CatalogModel } from '@tollgate/contracts';
import { bareName, likeness, pairsOf, spelling } from './model-names';

const mostSuggested = 3;
const leastLikeness = 0.45;
const wordScore = 0.9;

/** What a model's names are compared by. */
interface KnownNames {
  readonly bare: string;
  readonly words: ReadonlySet<string>;
  readonly ofBare: ReadonlySet<string>;
  readonly ofId: ReadonlySet<string>;
}

const noWords: ReadonlySet<string> = new Set();

/** Made once for each model of a catalog: whoever asks for names that nobody has asks often. */
const knownNames = new WeakMap<CatalogModel, KnownNames>();

/**
 * The ids that a name was probably meant for, the likeliest first; of models that share a name, the first of
 * the list.
 */
export function nearestModels(name: string, models: readonly CatalogModel[]): string[] {
  const typed = name.slice(0, 200);
  const bare = typed.slice(typed.lastIndexOf('/') + 1);
  const asked = { bare: spelling(bare), words: noWords, ofBare: pairsOf(bare), ofId: pairsOf(typed) };
  const byBareName = new Map<string, { id: string; near: number }>();
  for (const model of models) {
    const known = bareName(model);
    if (!byBareName.has(known)) byBareName.set(known, { id: model.id, near: score(asked, namesOf(model)) });
  }
  return [...byBareName.values()]
    .filter(({ near }) => near >= leastLikeness)
    .toSorted((a, b) => b.near - a.near)
    .slice(0, mostSuggested)
    .map(({ id }) => id);
}

function namesOf(model: CatalogModel): KnownNames {
  let known = knownNames.get(model);
  if (!known) {
    const name = bareName(model);
    const spelt = spelling(name);
    known = { bare: spelt, words: new Set(spelt.split('-')), ofBare: pairsOf(name), ofId: pairsOf(model.id) };
    knownNames.set(model, known);
  }
  return known;
}

/**
 * A name that another begins with is meant for that one more likely than for any that is only alike, and next
 * one that is a word of another, such as `opus`.
 */
function score(asked: KnownNames, known: KnownNames): number {
  if (asked.bare !== '' && known.bare.startsWith(asked.bare)) return 1;
  if (known.words.has(asked.bare)) return wordScore;
  return Math.max(likeness(asked.ofBare, known.ofBare), likeness(asked.ofId, known.ofId));
}
