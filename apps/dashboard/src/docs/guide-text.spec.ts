import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { filledIn, namePieces, searchGuides, titleOf } from './guide-text';
import type { Guide } from './guide-text';

const folder = join(__dirname, 'guides');
const guides: Guide[] = readdirSync(folder).map((file) => ({
  path: file.replace(/\.md$/, ''),
  text: readFileSync(join(folder, file), 'utf8'),
}));
const here = { origin: 'https://models.example.org', model: 'home/tiny' };
const places = (typed: string) =>
  searchGuides(guides, typed).map(({ guide, anchor }) => `${guide.path}#${anchor ?? ''}`);

it.each(guides.map((guide) => [guide.path, guide] as const))(
  '%s tells the reader’s own address and model',
  (_, guide) => {
    const text = filledIn(guide.text, here);
    expect(titleOf(guide)).not.toBe('');
    expect(text).not.toMatch(/gateway\.example|gpt-5\.4-mini|\{\{/);
  },
);

it.each(guides.map((guide) => [guide.path, guide.text] as const))('%s leads to pages that there are', (_, text) => {
  const app = join(__dirname, '../app');
  const files = ['open-routes.ts', 'signed-in-routes.ts'];
  const routes = files.map((file) => readFileSync(join(app, file), 'utf8')).join('\n');
  for (const [, path = ''] of text.matchAll(/\]\((\/[\w/-]*)/g)) {
    const [, guide] = /^\/docs\/([\w-]+)$/.exec(path) ?? [];
    if (guide === undefined) expect(routes).toContain(`'${path}'`);
    else expect([...guides.map((one) => one.path), 'reference']).toContain(guide);
  }
});

it('says of formats what the tests of translation observed', () => {
  const cellsOf = (line: string) =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim().replace(/ \d+(, \d+)*$/, ''));
  const observed = readFileSync(join(__dirname, '../../../../docs/dialects.md'), 'utf8')
    .split('## Callers of openai-chat')[1]
    ?.split('\n## ')[0]
    ?.split('\n')
    .map(cellsOf);
  const text = guides.find(({ path }) => path === 'formats')?.text ?? '';
  const [, table = ''] = text.split('## Callers of chat completions');
  const told = table.split('\n').filter((line) => line.startsWith('|'));
  expect(told.length).toBeGreaterThan(15);
  for (const line of told.slice(2)) expect(observed).toContainEqual(cellsOf(line));
});

it('is searched word by word, headings first', () => {
  expect(places('claude code')[0]).toBe('coding-agents#claude-code');
  expect(places('retry-after')).toContain('limits#requests-per-minute');
  expect(places('nothing-has-this')).toEqual([]);
  expect(places(' ')).toEqual([]);
  const [found] = searchGuides(guides, 'nano-dollar');
  expect(found?.excerpt).toMatch(/nano-dollar/);
  expect(found?.excerpt.length).toBeLessThan(170);
});

it('tells every reason of an error, and what to do', () => {
  const errors = guides.find(({ path }) => path === 'errors');
  expect(filledIn(errors?.text ?? '', here)).toMatch(/\| `quota_exhausted` \| 429 \| stop/);
});

it.each([
  ['rate_limit_error', ['rate_', 'limit_', 'error']],
  ['GET /v1/models', ['GET /', 'v1/', 'models']],
  ['__init__', ['__', 'init__']],
  ['stream', ['stream']],
  ['', []],
])('lets the name %j go on in another line between its words only', (text, pieces) => {
  expect(namePieces(text)).toEqual(pieces);
  expect(pieces.join('')).toBe(text);
});
