import { personalDataKinds } from '@tollgate/contracts/catalog';
import { Redactor } from '@tollgate/guardrails';
import { redactedJson } from './redacted-json';

const redactor = new Redactor([...personalDataKinds], ['\\bPROJECT-[A-Z]+\\b']);
const keep = (value: unknown, maxBytes = 65_536) => {
  const { text, ...rest } = redactedJson(value, redactor, maxBytes);
  return { value: JSON.parse(text) as unknown, bytes: Buffer.byteLength(text), ...rest };
};

it('keeps a value as it is, in its order', () => {
  const value = {
    z: 1.5,
    a: [true, null, -0.25e-9],
    text: 'plain \u0000 é 😀',
    nested: { list: [] },
    json: '{"b" : [1, 9007199254740993]}',
  };
  const { text, ...rest } = redactedJson(value, redactor, 65_536);
  expect(text).toBe(JSON.stringify(value));
  expect(rest).toEqual({ isTruncated: false, redactions: 0 });
});

it('redacts every text, number and name, also in JSON that is written into a text', () => {
  const found = keep({
    messages: [{ role: 'user', content: 'Write to ada@example.com about PROJECT-HERON' }],
    user: 'ada@example.com',
    metadata: { 'ada@example.com': 4111111111111111 },
    arguments: '{"to":"ada\\u0040example.com","n":1}',
    key: `sk-${'a'.repeat(40)}`,
  });
  expect(found).toMatchObject({
    isTruncated: false,
    redactions: 7,
    value: {
      messages: [{ role: 'user', content: 'Write to [redacted:email] about [redacted:pattern]' }],
      user: '[redacted:email]',
      metadata: { '[redacted:email]': '[redacted:credit-card]' },
      arguments: '{"to":"[redacted:email]","n":1}',
      key: '[redacted:api-key]',
    },
  });
});

it('redacts what is written in another way, and what is spread over parts', () => {
  const part = (text: string) => ({ type: 'text', text });
  const found = keep([
    { content: [part('data: 4111 1111'), part(' 1111 1111.'), { type: 'image' }, part('PROJECT-'), part('HERON')] },
    { content: 'ada@exa\u200bmple.com or РRОJЕСТ-ＨＥＲＯＮ', name: 'PROJECT-HERON' },
  ]);
  expect(found).toMatchObject({
    redactions: 5,
    value: [
      {
        content: [
          part('data: [redacted:credit-card]'),
          part('.'),
          { type: 'image' },
          part('[redacted:pattern]'),
          part(''),
        ],
      },
      { content: '[redacted:email] or [redacted:pattern]', name: '[redacted:pattern]' },
    ],
  });
});

it('leaves out files, images and vectors, and says so', () => {
  const url = `data:image/png;base64,${'iVBOR/0+'.repeat(500)}==`;
  expect(
    keep({ url, data: 'A'.repeat(512), vector: Array.from({ length: 64 }, () => 0.1), few: [1, 2] }).value,
  ).toEqual({
    url: '[left out: 4024 characters]',
    data: '[left out: 512 characters]',
    vector: '[left out: 64 numbers]',
    few: [1, 2],
  });
});

it.each([
  ['one long text', { text: 'word '.repeat(10_000) }],
  ['text of long characters', { text: '😀é "\n'.repeat(10_000) }],
  ['many texts', Array.from({ length: 5_000 }, (_, n) => `text ${n}`)],
  ['many members', Object.fromEntries(Array.from({ length: 5_000 }, (_, n) => [`member ${n}`, n]))],
  ['many empty lists', Array.from({ length: 50_000 }, () => [])],
  ['nested lists', Array.from({ length: 1_000 }, (_, n) => ({ n, list: ['a', { b: ['c'] }] }))],
])('is bounded for %s, stays JSON, and says that it was cut', (_name, value) => {
  for (const maxBytes of [1_024, 4_096, 20_000]) {
    const kept = keep(value, maxBytes);
    expect(kept.isTruncated).toBe(true);
    expect(kept.bytes).toBeLessThan(maxBytes + 100);
    expect(kept.bytes).toBeGreaterThan(maxBytes / 4);
  }
});

it('tells no part of what a cut goes through', () => {
  for (let length = 1_000; length < 1_030; length++) {
    const kept = JSON.stringify(keep({ text: `${'a b '.repeat(length / 4)}ada.lovelace@example.com` }, 1_024).value);
    expect(kept).not.toMatch(/lovelace|example/);
  }
});

it('is not thrown over by depth or strange names', () => {
  const deep = `${'['.repeat(50_000)}${']'.repeat(50_000)}`;
  expect(keep(JSON.parse(deep), 262_144).isTruncated).toBe(true);
  expect(keep({ text: deep.slice(0, 40_000) + deep.slice(-40_000) }, 262_144).value).toBeDefined();
  const strange = JSON.parse('{"__proto__":{"a":"ada@example.com"},"constructor":1}') as unknown;
  expect(redactedJson(strange, redactor, 1_024).text).toBe('{"__proto__":{"a":"[redacted:email]"},"constructor":1}');
});
