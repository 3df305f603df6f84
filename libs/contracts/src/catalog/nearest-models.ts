import type { CatalogModel } from './catalog';
import { bareName, likeness, pairsOf, spelling } from './model-names';

const mostSuggested = 3;
const leastLikeness = 0.45;
const wordScore = 0.9;
const wordBeginsScore = 0.8;
/** Letters from which on a word that a name begins with says something. */
const fewestLetters = 4;
/** And from which on its letters are a family's, such as `glm`. */
const fewestOfFamily = 3;

/**
 * What models are for, or how large they are: makers share these words, so that they say nothing of a family.
 */
const sharedWords: ReadonlySet<string> = new Set(
  'chat code embedding embed fast flash instant instruct large latest lite max medium micro mini nano omni plus preview pro reasoning small super text turbo ultra vision'.split(
    ' ',
  ),
);
/** `chatglm4` is a GLM, `codellama` a Llama; `minimax` is no Max. */
const sharedBeginning = /^(?:chat|code|text|vision)(?=[a-z])/;

/**
 * What words stand for that clients have of their own: Codex reviews with `codex-auto-review`
 * (https://github.com/openai/codex), aider calls DeepSeek's reasoner `r1`
 * (https://aider.chat/docs/config/model-aliases.html).
 */
const families: Readonly<Record<string, string>> = { codex: 'gpt', r1: 'deepseek' };

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
 * the list. Where none is alike: the newest of its family, by the letters that it begins with
 * (`llama3.1:8b`).
 */
export function nearestModels(name: string, models: readonly CatalogModel[]): string[] {
  const typed = name.slice(0, 200);
  const bare = typed.slice(typed.lastIndexOf('/') + 1);
  const asked = { bare: spelling(bare), words: noWords, ofBare: pairsOf(bare), ofId: pairsOf(typed) };
  const byBareName = new Map<string, { model: CatalogModel; known: KnownNames; near: number }>();
  for (const model of models) {
    const known = namesOf(model);
    if (!byBareName.has(known.bare)) byBareName.set(known.bare, { model, known, near: score(asked, known) });
  }
  const all = [...byBareName.values()];
  const alike = all.filter(({ near }) => near >= leastLikeness).toSorted((a, b) => b.near - a.near);
  const family = alike.length > 0 ? null : familyOf(asked.bare);
  const ofFamily = family === null ? [] : all.filter(({ known }) => isOf(known, family));
  const meant = [...alike, ...ofFamily.toSorted((a, b) => b.model.created - a.model.created)];
  return meant.slice(0, mostSuggested).map(({ model }) => model.id);
}

/**
 * The ids of the newest models that generate, of the first providers that have some: what somebody may ask
 * for whose own name is like none.
 */
export function newestModels(models: readonly CatalogModel[]): string[] {
  const newest = new Map<string, CatalogModel>();
  for (const model of models) {
    const known = newest.get(model.provider);
    if (model.kind === 'generation' && (!known || model.created > known.created)) newest.set(model.provider, model);
  }
  return [...newest.values()].slice(0, mostSuggested).map(({ id }) => id);
}

/** The letters by which models of one family are known; null: the name says none. */
function familyOf(spelt: string): string | null {
  const [first = ''] = spelt.split('-', 1);
  if (Object.hasOwn(families, first)) return families[first] ?? null;
  const letters = /^[a-z]*/.exec(first.replace(sharedBeginning, ''))?.[0] ?? '';
  return letters.length < fewestOfFamily || sharedWords.has(letters) ? null : letters;
}

function isOf({ words }: KnownNames, family: string): boolean {
  return [...words].some((word) => word.startsWith(family));
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
 * A name that another begins with is meant for that one more likely than for any that is only alike, next one
 * that is a word of another, such as `opus`, and then one that begins with such a word, such as `opusplan`,
 * where it is not one that makers share.
 */
function score(asked: KnownNames, known: KnownNames): number {
  if (asked.bare !== '' && known.bare.startsWith(asked.bare)) return 1;
  if (known.words.has(asked.bare)) return wordScore;
  if (!asked.bare.includes('-'))
    for (const word of known.words)
      if (word.length >= fewestLetters && !sharedWords.has(word) && asked.bare.startsWith(word)) return wordBeginsScore;
  return Math.max(likeness(asked.ofBare, known.ofBare), likeness(asked.ofId, known.ofId));
}
