import { isRecord } from './json-value';
import { asName, distinctNames, mapArray, mapLeaves, mapNamed, mapNumber } from './mapped-leaves';
import type { MapText } from './mapped-leaves';

/**
 * Schemas of tools and answers, and examples beside them: a model reads each of their texts and names,
 * whatever these are.
 */
export const ofSchema = new Set(['parameters', 'input_schema', 'schema', 'input_examples']);

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
export function mapSchema(value: unknown, name: string, map: MapText, names: Names = new Map()): unknown {
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
