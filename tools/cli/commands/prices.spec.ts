import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ran } from '../ran.fixture';

const model = 'openai/gpt-5.4';
const sheet = { input: '3', output: '9', perRequest: '0.01' };
const set = {
  ...{ id: 'price-1', model, prices: sheet, from: 600_000, setAt: 0, setBy: 'cli:spec', reason: 'why' },
  ...{ withdrawnAt: null, withdrawnBy: null },
};
const changes = [{ model, rate: 'input', before: '2.5', after: '3' }];
const outcome = { applied: true, setPrice: set, from: 600_000, isKnown: true, changes };

describe('prices set', () => {
  it('sets a price as a whole, is written down before, and says from when on it holds', async () => {
    const line = `prices set ${model} --input 3 --output 9 --per-request 0.01 --cache-write-5m 4 --reason why`;
    const { asked, out } = await ran(line, [{}, outcome]);
    expect(asked[0]).toMatchObject({ action: 'price-change-asked', detail: { model, from: null, reason: 'why' } });
    expect(asked[1]).toMatchObject({ subject: 'catalog.prices.set', model, dryRun: false, by: 'cli:spec' });
    expect(asked[1]).toMatchObject({ prices: { ...sheet, cacheWrite5m: '4', cachedInput: null, longContext: [] } });
    expect(asked[1]).not.toHaveProperty('from');
    expect(out).toMatch(/^openai\/gpt-5\.4 +input +2\.5 +3$/m);
    expect(out).toContain(
      'Set as price-1: it holds from 1970-01-01T00:10:00Z on. What was used before keeps its price.',
    );
  });

  it('writes nothing down where it only looks, and tells of a model that is not there', async () => {
    const looked = { ...outcome, applied: false, setPrice: null, isKnown: false };
    const { asked, out } = await ran(`prices set ${model} --input 3 --output 9 --at 2h --dry-run`, [looked]);
    expect(asked).toMatchObject([{ subject: 'catalog.prices.set', dryRun: true, from: expect.any(Number) }]);
    expect(out).toContain('Nothing was written.');
    expect(out).toContain(`The catalog has no model ${model} now`);
  });

  it('takes a whole sheet from a file, and refuses what is none', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'tollgate-price-'));
    try {
      const path = join(folder, 'sheet.json');
      const longContext = [{ aboveInputTokens: 200_000, input: '6', output: '18' }];
      writeFileSync(path, JSON.stringify({ ...sheet, longContext }));
      const { asked } = await ran(`prices set ${model} --sheet ${path}`, [{}, outcome]);
      expect(asked[1]).toMatchObject({ prices: { ...sheet, longContext } });
      writeFileSync(path, JSON.stringify({ ...sheet, inputs: '6' }));
      await expect(ran(`prices set ${model} --sheet ${path}`, [])).rejects.toThrow('inputs');
      await expect(ran(`prices set ${model} --sheet ${path} --input 1`, [])).rejects.toThrow('not both');
      await expect(ran(`prices set ${model} --sheet ${join(folder, 'none')}`, [])).rejects.toThrow('cannot be read');
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it.each([
    ['--input 3', 'needs --input and --output'],
    ['--input 3 --output -9', 'a decimal string'],
    ['--input 3 --output 0.1234567', 'a decimal string'],
  ])('refuses %s', async (rates, problem) => {
    await expect(ran(`prices set ${model} ${rates}`, [])).rejects.toThrow(problem);
  });
});

it('prices remove has a model cost what it would otherwise', async () => {
  const { asked } = await ran(`prices remove ${model}`, [{}, { ...outcome, changes: [] }]);
  expect(asked).toMatchObject([{ action: 'price-removal-asked' }, { model, prices: null }]);
});

it('prices withdraw takes one back, and says which', async () => {
  const { asked, out } = await ran('prices withdraw price-1 --reason typo', [{}, { setPrice: set }]);
  expect(asked).toMatchObject([
    { action: 'price-withdrawal-asked', detail: { price: 'price-1', reason: 'typo' } },
    { subject: 'catalog.prices.withdraw', id: 'price-1' },
  ]);
  expect(out).toBe(`The price of ${model} that was to begin at 1970-01-01T00:10:00Z is taken back.`);
});

it('prices list tells who says what a model costs, and what is to come', async () => {
  const prices = [
    { model: 'a/b', origin: 'file', source: 'configuration file', prices: null, next: [] },
    { model, origin: 'settings', source: 'x', prices: sheet, next: [{ from: 600_000, prices: null, isSet: false }] },
  ];
  const { out } = await ran('prices list', [{ prices }]);
  const [, ...lines] = out.split('\n').map((line) => line.split(/ {2,}/));
  expect(lines).toEqual([
    ['a/b', 'now', 'not known', 'from the file'],
    [model, 'now', '3 in, 9 out, 0.01 a request', 'set'],
    [model, 'from 1970-01-01T00:10:00Z', 'not known'],
  ]);
  expect((await ran('prices list', [{ prices: [] }])).out).toContain('those of the release');
});

it('prices history tells each with who, when and why', async () => {
  const back = { ...set, id: 'price-2', prices: null, withdrawnAt: 1_000, withdrawnBy: 'bob' };
  const { asked, out } = await ran(`prices history ${model}`, [{ prices: [set, back], next: null }]);
  expect(asked).toMatchObject([{ subject: 'catalog.prices.history', model, limit: 50 }]);
  expect(out).toMatch(/price-1 .* 1970-01-01T00:00:00Z +cli:spec +why$/m);
  expect(out).toMatch(/price-2 .* as it would otherwise .* 1970-01-01T00:00:01Z by bob$/m);
});
