import { isRecord } from './record';
import { demand } from './refusal';

/** The objects of a list. @throws Refusal when it is no list of objects. */
export function objects(value: unknown, name: string): Record<string, unknown>[] {
  demand(Array.isArray(value), `${name}: Input should be a valid list`, { param: name });
  return value.map((item: unknown, index) => {
    demand(isRecord(item), `${name}.${index}: Input should be an object`, { param: name });
    return item;
  });
}

/** The objects of a list that may be missing. @throws Refusal */
export function optionalObjects(value: unknown, name: string): Record<string, unknown>[] {
  return value === undefined || value === null ? [] : objects(value, name);
}

/** A member that is an object, or an empty one. */
export function memberOf(value: unknown, name: string): Record<string, unknown> {
  const member = isRecord(value) ? value[name] : undefined;
  return isRecord(member) ? member : {};
}

/** The texts of a list that may be missing. @throws Refusal for more than `most`, and for what is no text. */
export function textsIn(value: unknown, name: string, most: number): string[] {
  if (value === undefined || value === null) return [];
  demand(Array.isArray(value) && value.length <= most, `${name}: must be a list of at most ${most}`, { param: name });
  return value.map((item: unknown) => {
    demand(typeof item === 'string', `${name}: must be strings`, { param: name });
    return item;
  });
}

/** @throws Refusal for a member that nobody knows, in the words that `message` makes of its name. */
export function demandKnown(
  body: Record<string, unknown>,
  known: readonly string[],
  message: (name: string) => string,
): void {
  for (const name of Object.keys(body)) demand(known.includes(name), message(name), { param: name });
}

/** A number within bounds, or null where none was given. @throws Refusal */
export function numberIn(value: unknown, name: string, least: number, most: number): number | null {
  if (value === undefined || value === null) return null;
  demand(
    typeof value === 'number' && value >= least && value <= most,
    `${name}: must be a number from ${least} to ${most}`,
    { param: name },
  );
  return value;
}

/** A positive whole number, or null where none was given. @throws Refusal */
export function limitIn(value: unknown, name: string): number | null {
  const limit = numberIn(value, name, 1, 1_000_000_000);
  demand(limit === null || Number.isInteger(limit), `${name}: must be an integer`, { param: name });
  return limit;
}

/** @throws Refusal for what is neither true nor false, where something is given. */
export function flagIn(value: unknown, name: string): boolean | null {
  if (value === undefined || value === null) return null;
  demand(typeof value === 'boolean', `${name}: Input should be a valid boolean`, { param: name });
  return value;
}

export function textIn(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

const list = new Intl.ListFormat('en');

/** @throws Refusal in OpenAI's words for a value that is given and none of these. */
export function demandOneOf(value: unknown, param: string, known: readonly string[]): void {
  if (value === undefined || value === null) return;
  const supported = list.format(known.map((name) => `'${name}'`));
  demand(
    typeof value === 'string' && known.includes(value),
    `Invalid value: '${typeof value === 'string' ? value : JSON.stringify(value)}'. Supported values are: ${supported}.`,
    { param, code: 'invalid_value' },
  );
}

/** @throws Refusal in OpenAI's words for a list of more than `most`. */
export function demandFew({ length }: readonly unknown[], param: string, most: number): void {
  demand(
    length <= most,
    `Invalid '${param}': array too long. Expected an array with maximum length ${most}, but got an array with length ${length} instead.`,
    { param, code: 'array_above_max_length' },
  );
}

/** @throws Refusal in OpenAI's words for an empty list. */
export function demandSome({ length }: readonly unknown[], param: string): void {
  demand(
    length > 0,
    `Invalid '${param}': empty array. Expected an array with minimum length 1, but got an empty array instead.`,
    { param, code: 'empty_array' },
  );
}

/** @throws Refusal in OpenAI's words for a member that is missing, or no text. */
export function demandText(value: unknown, param: string): asserts value is string {
  demand(value !== undefined && value !== null, `Missing required parameter: '${param}'.`, {
    param,
    code: 'missing_required_parameter',
  });
  demand(typeof value === 'string', `Invalid type for '${param}': expected a string.`, { param, code: 'invalid_type' });
}

/**
 * @throws Refusal in OpenAI's words for a text of more than `most` characters.
 * https://github.com/openai/codex/issues/44414
 */
export function demandShort(value: unknown, param: string, most: number): void {
  if (typeof value !== 'string') return;
  demand(
    value.length <= most,
    `Invalid '${param}': string too long. Expected a string with maximum length ${most}, but got a string with length ${value.length} instead.`,
    { param, code: 'string_above_max_length' },
  );
}

/** What OpenAI takes of a caller's own names: 64 characters each, 16 labels of 64 and 512. @throws Refusal */
export function checkCallerNames(body: Record<string, unknown>): void {
  // https://github.com/maximhq/bifrost/pull/1000
  // https://platform.openai.com/docs/api-reference/chat/create#chat_create-safety_identifier
  // https://github.com/theopenco/llmgateway/pull/3110
  for (const name of ['user', 'safety_identifier', 'prompt_cache_key']) demandShort(body[name], name, 64);
  const labels = Object.entries(memberOf(body, 'metadata'));
  demand(
    labels.length <= 16,
    `Invalid 'metadata': too many properties. Expected an object with at most 16 properties, but got an object with ${labels.length} properties instead.`,
    { param: 'metadata', code: 'object_above_max_properties' },
  );
  // https://platform.openai.com/docs/api-reference/chat/create#chat_create-metadata
  for (const [name, value] of labels) {
    demandShort(name, 'metadata', 64);
    demandText(value, `metadata.${name}`);
    demandShort(value, `metadata.${name}`, 512);
  }
}

const tiers = ['auto', 'default', 'flex', 'scale', 'priority', 'fast', 'ultrafast'];

/**
 * The tier that serves a request of OpenAI's: the one that was asked for, but `auto` is the default, `fast`
 * another name of priority, and nobody has bought scale units here, so that such a request is served at the
 * default. https://platform.openai.com/docs/api-reference/chat/create#chat_create-service_tier
 * https://openai.com/api-fast-mode/ @throws Refusal
 */
export function tierFor(asked: unknown): string {
  if (asked === undefined || asked === null) return 'default';
  demandOneOf(asked, 'service_tier', tiers);
  if (asked === 'auto' || asked === 'scale') return 'default';
  return asked === 'fast' ? 'priority' : textIn(asked);
}
