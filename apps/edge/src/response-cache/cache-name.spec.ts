import { cacheName, significantBytes } from './cache-name';

const significant = (text: string) => Buffer.from(significantBytes(Buffer.from(text))).toString();

it.each([
  ['{ "a" : [1,\t2 ],\r\n "b": null }', '{"a":[1,2],"b":null}'],
  ['{"a":" two  words\\" and { } \\\\" , "b" : 1}', '{"a":" two  words\\" and { } \\\\","b":1}'],
  ['{"name":"Zoë  🙂 "}', '{"name":"Zoë  🙂 "}'],
])('white space between tokens goes, and nothing else: %s', (text, left) => {
  expect(significant(text)).toBe(left);
});

it.each([
  ['{"a":1,"b":2}', '{"b":2,"a":1}'],
  ['{"seed":9007199254740992}', '{"seed":9007199254740993}'],
  ['{"a":"x y"}', '{"a":"xy"}'],
  ['{"stream":true}', '{"stream":false}'],
])('what may mean something else stays different: %s and %s', (one, other) => {
  expect(significant(one)).not.toBe(significant(other));
});

it('an answer that tells thoughts has another name than one that does not', () => {
  const question = { accountId: 'a', surface: 'openai-chat', model: 'm', headers: {}, rules: '', bodyDigest: 'd' };
  const nameOf = (tellsThoughts: boolean) => cacheName('secret', { ...question, tellsThoughts });
  expect(nameOf(true)).toBe(nameOf(true));
  expect(nameOf(true)).not.toBe(nameOf(false));
});
