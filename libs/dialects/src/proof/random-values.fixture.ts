import fc from 'fast-check';

type Members = Record<string, fc.Arbitrary<unknown>>;

/** An object with its required members and any of the others. */
export function object(required: Members, optional: Members = {}): fc.Arbitrary<Record<string, unknown>> {
  return fc.record({ ...required, ...optional }, { requiredKeys: Object.keys(required) });
}

/** A word of a dialect, such as the value of `type`. */
export function is<Value>(value: Value): fc.Arbitrary<Value> {
  return fc.constant(value);
}

/** What many targets refuse, in one request of ten; else nothing. */
export function rarely(members: fc.Arbitrary<Record<string, unknown>>): fc.Arbitrary<Record<string, unknown>> {
  return fc.oneof({ arbitrary: is({}), weight: 9 }, { arbitrary: members, weight: 1 });
}

/** Text that can be found again: a mark, with what JSON and UTF-8 make hard around it. */
export const text = fc
  .tuple(fc.stringMatching(/^[a-z]{8}$/), fc.constantFrom('', ' "q"', '\n\\', ' 🜁é', '\u2028'))
  .map(([mark, odd]) => `${mark}${odd}.`);
export const word = fc.stringMatching(/^[a-z][a-zA-Z0-9_]{7,11}$/);
export const base64 = fc
  .uint8Array({ minLength: 9, maxLength: 12 })
  .map((bytes) => Buffer.from(bytes).toString('base64'));
export const httpsUrl = word.map((path) => `https://files.example/${path}.png`);
/** Numbers that stand out in a body. */
export const count = fc.integer({ min: 2_000, max: 9_000 });
export const fraction = fc.integer({ min: 11, max: 89 }).map((value) => value / 100);

export const flatJson = fc.dictionary(word, fc.oneof(text, count), { minKeys: 1, maxKeys: 2 });

export const schema = fc.tuple(word, text).map(([name, description]) => ({
  type: 'object',
  properties: { [name]: { type: 'string', description } },
  required: [name],
  additionalProperties: false,
}));
