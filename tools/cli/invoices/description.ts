import type { CatalogModel } from '@tollgate/contracts/catalog';

/**
 * The kind of a charge's line that a cloud means by the description of a line, such as
 * `USE1-NovaPro-cache-read-input-token-count`, `gpt 4.1 cached Inp glbl Tokens`, or `Gemini 2.5 Flash Text
 * Output - Predictions`; the description itself where no side is told.
 */
export function kindInDescription(description: string): string {
  const words = new Set(wordsIn(description));
  const hasOne = (...names: string[]): boolean => names.some((name) => words.has(name));
  const isCache = hasOne('cache', 'cached', 'cchd', 'cd', 'caching');
  if (isCache && hasOne('write', 'wr', 'storage')) return hasOne('storage') ? description : 'cacheWrite';
  if (isCache) return 'cachedInput';
  const side = hasOne('output', 'outp', 'outpt', 'out', 'opt') ? 'Output' : 'Input';
  if (side === 'Input' && !hasOne('input', 'inp', 'inpt', 'in')) return description;
  const told = [
    ['audio', 'aud'],
    ['image', 'img'],
    ['video', 'vid'],
  ].find((names) => hasOne(...names));
  return told ? `${told[0]}${side}` : side.toLowerCase();
}

/**
 * What else may stand in the description of a model's line: kinds, units, tiers, places, and days of
 * snapshots. Anything beside them may be another model's name.
 */
const besideNames = new Set([
  ...['input', 'inp', 'inpt', 'in', 'output', 'outp', 'outpt', 'out', 'opt', 'token', 'tokens', 'count', 'text', 'txt'],
  ...['cache', 'cached', 'cchd', 'cd', 'caching', 'read', 'write', 'wr', 'hit', 'hits', 'thinking', 'reasoning'],
  ...['audio', 'aud', 'image', 'img', 'video', 'vid', 'prediction', 'predictions', 'generate', 'content', 'ga'],
  ...['standard', 'std', 'batch', 'flex', 'priority', 'mantle', 'cross', 'region', 'geo', 'global', 'glbl', 'gl'],
  ...['regional', 'regnl', 'data', 'zone', 'dzone', 'dz', '1k', '1m', 'k', 'm', 'requests', 'online'],
]);

/**
 * The model of the catalog that a description names by the words of its name, whatever their order; null: no
 * model, or more than one, or words beside it that say something else. Of one that is sold in several places
 * (`Claude Opus 5 (US)`) it is that of the line's place.
 */
export function modelInDescription(models: readonly CatalogModel[], description: string): string | null {
  const words = wordsIn(description);
  const named = models
    .map(({ id, name }) => ({ id, place: placeIn(name), words: wordsIn(name.replace(/\(.*\)/, '')) }))
    .filter((model) => model.words.length > 0 && model.words.every((word) => words.includes(word)));
  const most = Math.max(0, ...named.map((model) => model.words.length));
  const alike = named.filter((model) => model.words.length === most);
  const place = placeOf(description);
  const [best, other] = alike.length > 1 ? alike.filter((model) => model.place === place) : alike;
  if (!best || other) return null;
  const rest = words.filter((word) => !best.words.includes(word));
  return rest.every((word) => besideNames.has(word) || /^\d{4}(\d{4})?$/.test(word)) ? best.id : null;
}

/** The place in the name of a model; `global` where it has none. */
function placeIn(name: string): string {
  return /\((.*)\)/.exec(name)?.[1]?.toLowerCase() ?? 'global';
}

/** How AWS's regions begin, and the place of the profiles that are called through them. */
const places: readonly [RegExp, string][] = [
  [/^US/, 'us'],
  [/^EU/, 'eu'],
  [/^APN[13]/, 'jp'],
  [/^APS[246]/, 'au'],
];

/**
 * Where a line was served, as Bedrock tells it: in the world, or in the geography of its region. Null: it
 * does not say.
 * https://docs.aws.amazon.com/bedrock/latest/userguide/cost-mgmt-understanding-cur-data.html
 */
function placeOf(description: string): string | null {
  if (/global/i.test(description)) return 'global';
  if (!/cross-region-geo/i.test(description)) return null;
  return places.find(([region]) => region.test(description))?.[1] ?? null;
}

/** `USE1-Claude4.6Sonnet-input-tokens`: claude, 4.6, sonnet, input, tokens. A region in front is none. */
function wordsIn(text: string): string[] {
  return text
    .replace(/^[A-Z]{2,4}\d-/, '')
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .replace(/(\d)([A-Z][a-z])/g, '$1 $2')
    .replace(/([A-Za-z])(\d)/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z\d.]+/)
    .map((word) => word.replace(/^\.+|\.+$/g, '').replace(/^(\d+)\.0$/, '$1'))
    .filter((word) => word !== '');
}
