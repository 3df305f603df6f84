import { execFileSync } from 'node:child_process';
import { asCode, pythonLiteral } from './as-code';

const text = 'It\'s "quoted", `marked`, and\nhas two lines: é \u{1f600}';
const body = {
  model: 'a/b',
  messages: [{ role: 'user', content: text }],
  temperature: undefined,
  top_p: 0.5,
  stream: true,
  stream_options: { include_usage: true },
};
const codeOf = (id: string) => asCode('https://gateway.example', body).find((code) => code.id === id)?.code ?? '';

it('is there in four languages, each with the address and without the key', () => {
  const all = asCode('https://gateway.example', body);
  expect(all.map(({ name }) => name)).toEqual(['Python', 'TypeScript', 'curl', 'Go']);
  for (const { code } of all) {
    expect(code).toContain('https://gateway.example/v1');
    expect(code).toContain('TOLLGATE_KEY');
  }
});

it('has the text in curl as a shell reads it', () => {
  const [, quoted = ''] = /-d ('[\s\S]*)$/.exec(codeOf('curl')) ?? [];
  const read = execFileSync('/bin/sh', ['-c', `printf %s ${quoted}`], { encoding: 'utf8' });
  expect(JSON.parse(read)).toEqual(JSON.parse(JSON.stringify(body)));
});

it('has the text in Go as its raw strings hold it', () => {
  const [, raw = ''] = /const body = (`[\s\S]*`)\n\nfunc/.exec(codeOf('go')) ?? [];
  const read = raw
    .split(' + "`" + ')
    .map((piece) => piece.slice(1, -1))
    .join('`');
  expect(JSON.parse(read)).toEqual(JSON.parse(JSON.stringify(body)));
});

it('gives the SDK of Python what it has no argument for', () => {
  expect(codeOf('python')).toContain('extra_body={\n        "top_p": 0.5,\n    }');
  expect(codeOf('python')).not.toContain('stream_options');
});

it.each([
  [null, 'None'],
  [[true, false], '[\n    True,\n    False,\n]'],
  [{ a: {}, b: [] }, '{\n    "a": {},\n    "b": [],\n}'],
  ['a "b"\n', '"a \\"b\\"\\n"'],
  [1.5, '1.5'],
])('writes %j as Python does', (value, literal) => expect(pythonLiteral(value)).toBe(literal));

it('cuts files, and no word of a question, however long', () => {
  const long = 'A'.repeat(500);
  const codeOf = (part: object) =>
    asCode('https://gateway.example', { model: 'a/b', messages: [{ role: 'user', content: [part] }] })[0]?.code ?? '';
  for (const part of [
    { type: 'image_url', image_url: { url: `data:image/png;base64,${long}` } },
    { type: 'file', file: { filename: 'a.pdf', file_data: `data:application/pdf;base64,${long}` } },
    { type: 'input_audio', input_audio: { format: 'wav', data: long } },
  ])
    expect(codeOf(part)).not.toContain(long);
  expect(codeOf({ type: 'text', text: long })).toContain(long);
});
