import { isRecord, parseJson } from './json-value';
import {
  asName,
  mapArray,
  mapLeaves,
  mapNamed,
  type MapName,
  type MapText,
  type PartPlace,
  distinctNames,
  mapNumber,
} from './mapped-leaves';
import { openText } from './open-text';
import { repeatsNames } from './request-json';

/**
 * Schemas of tools and answers, and examples beside them: a model reads each of their texts and names,
 * whatever these are.
 */
const ofSchema = new Set(['parameters', 'input_schema', 'schema', 'input_examples']);

/** Words of the format, which say nothing else, and without which it is none. */
const schemaType = /^(?:string|number|integer|boolean|object|array|null)$/;
/** https://json-schema.org/draft/2020-12/json-schema-validation#section-6 */
const bounds = new Set(
  ['Length', 'Items', 'Properties', 'Contains']
    .flatMap((what) => [`min${what}`, `max${what}`])
    .concat('minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf'),
);
/** Values as they may be, in which no name is of the format. */
const ofData = new Set(['default', 'const', 'enum', 'examples', 'example', 'input_examples']);
/** Objects whose names are those of properties; and others whose names the caller chose. */
const byProperty = new Set(['properties', 'dependentRequired', 'dependentSchemas', 'dependencies']);
const byName = new Set(['$defs', 'definitions', 'patternProperties']);
/** What names properties. */
const namesProperties = new Set(['required', 'propertyOrdering', 'propertyName']);
const words = new Set([
  ...[...bounds, ...ofData, ...byProperty, ...byName, ...namesProperties],
  ...['$schema', '$id', '$ref', '$anchor', '$dynamicRef', '$dynamicAnchor', '$vocabulary', '$comment'],
  ...['type', 'title', 'description', 'format', 'pattern', 'nullable', 'deprecated', 'readOnly', 'writeOnly'],
  ...['items', 'prefixItems', 'contains', 'uniqueItems', 'unevaluatedItems', 'additionalItems'],
  ...['additionalProperties', 'unevaluatedProperties', 'propertyNames', 'discriminator', 'mapping'],
  ...['allOf', 'anyOf', 'oneOf', 'not', 'if', 'then', 'else'],
  ...['contentEncoding', 'contentMediaType', 'contentSchema'],
]);

/** What the properties of a schema are named afterwards, by what they were. */
type Names = ReadonlyMap<string, string>;

/**
 * A schema that the member `name` holds (or examples beside one) with each of its texts and names mapped, so
 * that it stays a schema: a property has the same name wherever it is named, a reference leads to what it led
 * to, and what may be chosen of, or is required, stands there once. What bounds a value stays as it is: the
 * largest whole number of a language may look like that of an account. The same object when none changed.
 */
function mapSchema(value: unknown, name: string, map: MapText, names: Names = new Map()): unknown {
  const mapName = (member: string) => asName(member, map(member, null));
  if (ofData.has(name)) return once(name, value, mapLeaves(value, map, mapName));
  if (typeof value === 'string') return mapWord(value, name, map, names);
  if (typeof value === 'number') return bounds.has(name) ? value : mapNumber(value, map);
  if (Array.isArray(value))
    return once(
      name,
      value,
      mapArray(value, (item) => mapSchema(item, name, map, names)),
    );
  if (!isRecord(value)) return value;
  const own = isRecord(value.properties) ? namesAfter(value.properties, mapName) : names;
  const mapMember = (member: string) => (words.has(member) ? member : mapName(member));
  return mapNamed(value, mapMember, (member, inner) => {
    if (!isRecord(inner) || !(byProperty.has(member) || byName.has(member))) return mapSchema(inner, member, map, own);
    const named = byProperty.has(member) ? (one: string) => own.get(one) ?? mapName(one) : mapName;
    // A list in such an object is one of properties that go with that one.
    return mapNamed(inner, named, (_one, held) => mapSchema(held, Array.isArray(held) ? 'required' : '', map, own));
  });
}

function namesAfter(properties: object, mapName: (name: string) => string): Names {
  const distinct = distinctNames();
  return new Map(Object.keys(properties).map((name) => [name, distinct(mapName(name))]));
}

function mapWord(text: string, name: string, map: MapText, names: Names): string {
  if (name === 'type' && schemaType.test(text)) return text;
  const known = namesProperties.has(name) ? names.get(text) : undefined;
  if (known !== undefined) return known;
  const mapped = map(text, null);
  if (namesProperties.has(name)) return asName(text, mapped);
  // Each step of a reference is a name.
  const isInner = name === '$ref' && text.startsWith('#');
  return isInner && mapped !== text ? mapped.replace(/[^\w#$/-]/g, '_') : mapped;
}

/** Of texts that became the same, one. */
function once(name: string, before: unknown, after: unknown): unknown {
  const isOfOnes = name === 'enum' || namesProperties.has(name);
  return isOfOnes && after !== before && Array.isArray(after) ? [...new Set<unknown>(after)] : after;
}

/**
 * Members of requests whose text is none that a model reads as such: words of the format, ids, names, seals,
 * and data of media. What is not named here is read:
 * a dialect may get a new member any day, and what it holds must not go by unseen.
 */
const withoutText = new Set([
  'type',
  'role',
  'model',
  'object',
  'status',
  'detail',
  'effort',
  'reasoning_effort',
  'verbosity',
  'service_tier',
  'truncation',
  'summary',
  'display',
  'modalities',
  'include',
  'syntax',
  'phase',
  'tool_choice',
  'encoding_format',
  'media_type',
  'mime_type',
  'format',
  'ttl',
  'signature',
  'encrypted_content',
]);
/**
 * Ids are random: some hold what a pattern looks for. They are one word; anything else in their place is
 * read.
 */
const ofIds = /^(?:id|conversation|container|.*_ids?)$/s;
const oneId = /^[\w.:|+/=~-]{0,512}$/;
/** Tokens by their numbers, which name the members of `logit_bias`. */
const oneToken = /^\d{1,7}$/;

/**
 * Members that hold an image, a file or a sound: as a data URL, or, where nothing else is in it, as Base64.
 */
const mediaUrls = new Set(['url', 'image_url', 'file_url', 'video_url', 'audio_url', 'file_data']);
const mediaData = new Set(['data', 'file_data']);
/**
 * So many characters of a data URL are looked at for what stands before its data, a type and parameters: of
 * millions of these a regular expression has no stack to go back.
 */
export const longestDataHead = 1_024;
const base64Url = /^data:[\w.+-]+\/[\w.+-]+(?:;[\w.+-]+=[\w.+-]+)*;base64,/;
const notBase64 = /[^\w+/=\r\n-]/;

/**
 * Objects whose names the caller chose, so that no name says anything of what it holds: arguments of a call,
 * labels, variables of a prompt.
 */
const ofCaller = new Set(['input', 'metadata', 'variables']);

/**
 * How members of formats are named. What is named in another way was named by the caller, in a member that
 * nothing is known of.
 */
const ofFormat = /^(?!.{0,60}\d{4})[a-z_$][\w$-]{0,63}$/i;

/**
 * Objects that their provider sealed: with another text they would be refused. They come from a model, not
 * from the caller.
 */
const sealed = new Set(['thinking', 'redacted_thinking', 'reasoning']);

/**
 * A parsed body of any surface with each of its texts replaced by what `map` makes of it. The same object
 * when none changed.
 */
export function mapRequestTexts(body: unknown, map: MapText): unknown {
  return mapValue(body, '', map);
}

/** Texts that read as one, in their order; `places` says the how manieth of the body's texts each is. */
export interface TextRun {
  readonly texts: string[];
  readonly places: number[];
}

/**
 * The texts of a parsed body: those of parts that follow one another in one run, any other in a run of its
 * own.
 */
export function textRunsOf(body: unknown): TextRun[] {
  const runs: TextRun[] = [];
  let ofParts: TextRun | null = null;
  let place = 0;
  mapRequestTexts(body, (text, part) => {
    const run: TextRun = part === 'next' && ofParts ? ofParts : { texts: [], places: [] };
    if (run !== ofParts) runs.push(run);
    if (part !== null) ofParts = run;
    run.texts.push(text);
    run.places.push(place++);
    return text;
  });
  return runs;
}

/** A parsed body with other texts, in the order of `textRunsOf`. The same object when none changed. */
export function withTexts(body: unknown, texts: readonly string[]): unknown {
  let place = 0;
  return mapRequestTexts(body, (text) => texts[place++] ?? text);
}

/**
 * The text of a JSON value (arguments of a tool call) with its texts and numbers mapped, and without what
 * another member of the same name hides; text that is no JSON is one text itself. `mapName` is for the names
 * that a caller chose: a model writes those that its tool has.
 */
export function mapTextsIn(json: string, map: MapText, mapName: MapName = (name) => name): string {
  const value = parseJson(json);
  if (value === undefined) return map(json, null);
  const mapped = mapLeaves(value, map, mapName);
  return mapped === value && !repeatsNames(Buffer.from(json), value) ? json : JSON.stringify(mapped);
}

function mapValue(value: unknown, name: string, map: MapText): unknown {
  if (typeof value === 'string') return mapText(value, name, map, null);
  if (ofSchema.has(name)) return mapSchema(value, name, map);
  if (Array.isArray(value)) return mapList(value, name, map);
  return isRecord(value) ? mapMembers(value, name, map, null) : value;
}

/** The items of a list are of the format: `input` of a call is an object, that of a request is a list. */
function mapList(items: readonly unknown[], name: string, map: MapText): unknown {
  const ofItems = ofCaller.has(name) ? '' : name;
  return mapArray(items, (item, index) => {
    if (!isTextPart(item)) return mapValue(item, ofItems, map);
    return mapMembers(item, ofItems, map, isTextPart(items[index - 1]) ? 'next' : 'first');
  });
}

function mapMembers(record: Record<string, unknown>, name: string, map: MapText, part: PartPlace): unknown {
  if (isSealed(record)) return record;
  if (ofCaller.has(name)) return mapLeaves(record, map, (member) => map(member, null));
  const mapMember = (member: string, inner: unknown) => {
    if (typeof inner !== 'string') return mapValue(inner, member, map);
    if (isMedia(record, member, inner)) return inner;
    // What stands openly in the place of a seal is read.
    if (member === 'encrypted_content' && openText(record) !== null) return map(inner, null);
    return mapText(inner, member, map, member === 'text' ? part : null);
  };
  const isToken = (member: string) => name === 'logit_bias' && oneToken.test(member);
  return mapRecord(record, (member) => (isToken(member) ? member : map(member, null)), mapMember);
}

function mapText(text: string, name: string, map: MapText, part: PartPlace): string {
  if (withoutText.has(name) || (ofIds.test(name) && oneId.test(text))) return text;
  if (name === 'arguments') return mapTextsIn(text, map, (member) => map(member, null));
  const mapped = map(text, part);
  return name === 'name' ? asName(text, mapped) : mapped;
}

function mapRecord(
  record: Record<string, unknown>,
  mapName: MapName,
  map: (name: string, value: unknown) => unknown,
): unknown {
  if (!Object.keys(record).every((name) => ofFormat.test(name)))
    return mapNamed(record, (name) => (ofFormat.test(name) ? name : mapName(name)), map);
  let changed: Record<string, unknown> | null = null;
  for (const [name, value] of Object.entries(record)) {
    const mapped = map(name, value);
    if (mapped !== value) (changed ??= { ...record })[name] = mapped;
  }
  return changed ?? record;
}

function isSealed({ type, signature, encrypted_content: encrypted }: Record<string, unknown>): boolean {
  return (
    typeof type === 'string' && sealed.has(type) && (typeof signature === 'string' || typeof encrypted === 'string')
  );
}

/**
 * A file as its whole text: a data URL in Base64, or Base64 alone where the format wants that. Anything else
 * is read, whatever it begins with. `data` of an object that says it is text (Anthropic's plain documents) is
 * text.
 */
function isMedia(owner: Record<string, unknown>, member: string, text: string): boolean {
  if (mediaUrls.has(member)) {
    const [head] = base64Url.exec(text.slice(0, longestDataHead)) ?? [];
    if (head !== undefined) return !notBase64.test(text.slice(head.length));
  }
  return mediaData.has(member) && owner.type !== 'text' && !notBase64.test(text);
}

function isTextPart(item: unknown): item is Record<string, unknown> {
  return isRecord(item) && typeof item.text === 'string' && !isSealed(item);
}
