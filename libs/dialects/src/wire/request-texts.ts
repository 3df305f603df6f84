import { isRecord, parseJson } from './json-value';

/**
 * Members of requests whose text is none that a model reads as such: words of the format, ids, names, seals, and data of media. What is not named here is read:
 * a dialect may get a new member any day, and what it holds must not go by unseen.
 */
const withoutText = new Set([
  'type',
  'role',
  'id',
  'model',
  'object',
  'status',
  'name',
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
  'file_data',
]);

/** Objects whose names the caller chose, so that no name says anything of what it holds: arguments of a call, labels, variables of a prompt. */
const ofCaller = new Set(['input', 'metadata', 'variables']);

/** Objects that their provider sealed: with another text they would be refused. They come from a model, not from the caller. */
const sealed = new Set(['thinking', 'redacted_thinking', 'reasoning']);

type MapText = (text: string) => string;

/** A parsed body of any surface with each of its texts replaced by what `map` makes of it. The same object when none changed. */
export function mapRequestTexts(body: unknown, map: MapText): unknown {
  return mapValue(body, '', map);
}

/** The text of a JSON value (arguments of a tool call) with its texts and numbers mapped; text that is no JSON is one text itself. */
export function mapTextsIn(json: string, map: MapText): string {
  const value = parseJson(json);
  if (value === undefined) return map(json);
  const mapped = mapLeaves(value, map);
  return mapped === value ? json : JSON.stringify(mapped);
}

function mapValue(value: unknown, name: string, map: MapText): unknown {
  if (typeof value === 'string') return mapText(value, name, map);
  // The items of a list are of the format: `input` of a call is an object, that of a request is a list.
  if (Array.isArray(value)) return mapArray(value, (item) => mapValue(item, ofCaller.has(name) ? '' : name, map));
  if (!isRecord(value)) return value;
  if (isSealed(value)) return value;
  if (ofCaller.has(name)) return mapLeaves(value, map);
  return mapRecord(value, (member, inner) => (isData(value, member) ? inner : mapValue(inner, member, map)));
}

function mapText(text: string, name: string, map: MapText): string {
  if (withoutText.has(name) || name.endsWith('_id') || text.startsWith('data:')) return text;
  return name === 'arguments' ? mapTextsIn(text, map) : map(text);
}

/** Numbers too: that of an account may be one. */
function mapLeaves(value: unknown, map: MapText): unknown {
  if (typeof value === 'string') return map(value);
  if (typeof value === 'number') {
    const text = String(value);
    const mapped = map(text);
    return mapped === text ? value : mapped;
  }
  if (Array.isArray(value)) return mapArray(value, (item) => mapLeaves(item, map));
  return isRecord(value) ? mapRecord(value, (_name, inner) => mapLeaves(inner, map)) : value;
}

function mapArray(items: readonly unknown[], map: (item: unknown) => unknown): unknown {
  const mapped = items.map(map);
  return mapped.every((item, index) => item === items[index]) ? items : mapped;
}

function mapRecord(record: Record<string, unknown>, map: (name: string, value: unknown) => unknown): unknown {
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

/** `data` is base64, unless its object says that it is text (Anthropic's plain documents). */
function isData(owner: Record<string, unknown>, member: string): boolean {
  return member === 'data' && owner.type !== 'text';
}
