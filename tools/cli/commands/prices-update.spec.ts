import { parseTollgateFile } from '@tollgate/configuration';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fastModel, ran } from '../ran.fixture';

const from = Date.UTC(2026, 10, 23, 12);
const snapshot = {
  revision: 1,
  sandbox: false,
  providers: [],
  models: [fastModel],
  available: ['groq/fast'],
};
const change = { model: 'groq/fast', rate: 'input', before: '1', after: '3' };
const reply = (applied: boolean, changes: object[] = [change]) => ({
  ...{ applied, from, changes, unchanged: [], overridden: [], unknown: [] },
});

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'tollgate-prices-'));
});
afterAll(() => rmSync(folder, { recursive: true }));
const place = (format: string) => join(folder, `${format}.json`);

describe('prices update', () => {
  const documents = {
    litellm: {
      'groq/fast': { litellm_provider: 'groq', input_cost_per_token: 0.000003, output_cost_per_token: 0.000002 },
    },
    'models.dev': { groq: { models: { fast: { cost: { input: 3, output: 2 } } } } },
    'genai-prices': [{ id: 'groq', models: [{ id: 'fast', prices: { input_mtok: 3, output_mtok: 2 } }] }],
  };

  beforeAll(() => {
    for (const [format, document] of Object.entries(documents)) writeFileSync(place(format), JSON.stringify(document));
  });

  it.each(Object.keys(documents))(
    'shows what a document of the form %s changes, and asks for nothing',
    async (format) => {
      const command = `prices update --from ${place(format)} --format ${format}`;
      const { asked, out } = await ran(command, [snapshot, reply(false)]);
      expect(asked[1]).toMatchObject({
        subject: 'catalog.prices.import',
        apply: false,
        prices: [{ model: 'groq/fast', prices: { input: '3', output: '2' } }],
      });
      expect(out).toMatch(/groq\/fast +input +1 +3/);
      expect(out).toContain('Nothing was written. With --apply');
    },
  );

  it('says that prices which are the same count as taken today, when they do', async () => {
    const same = (applied: boolean) => ({ ...reply(applied, []), unchanged: ['groq/fast'], confirmed: ['groq/fast'] });
    const command = `prices update --from ${place('models.dev')}`;
    const { out } = await ran(command, [snapshot, same(false)]);
    expect(out).toContain('There is nothing to change. With --apply the prices that are the same (1 model) count');
    const applied = await ran(`${command} --apply`, [snapshot, {}, same(true)]);
    expect(applied.out).toContain('The prices that are the same (1 model) count as taken from their source today.');
  });

  it('takes them into force when it is told to, and says from when on they hold', async () => {
    const command = `prices update --from ${place('models.dev')} --apply`;
    const { asked, out } = await ran(command, [snapshot, {}, reply(true)]);
    expect(asked[1]).toMatchObject({ action: 'prices-imported', actor: 'cli:spec', detail: { models: 1 } });
    expect(asked[2]).toMatchObject({ apply: true });
    expect(out).toContain('hold from 2026-11-23T12:00:00Z on');
  });

  it.each(['prices', 'catalog'])('keeps what the document does not tell, and shows it: %s update', async (what) => {
    const step = { aboveInputTokens: 200_000, input: '2', output: '4', cachedInput: '0.4' };
    const prices = { input: '1', output: '2', cachedInput: '0.1', cacheWrite1h: '4', perRequest: '0.005' };
    const priced = { ...fastModel, prices: { ...prices, longContext: [step] } };
    const silent = { input: 3, output: 2, cache_read: 0 };
    const stepped = { ...silent, cache_read: 0.3, tiers: [{ tier: { size: 200_000 }, input: 6, output: 4 }] };
    const document = { groq: { models: { fast: { cost: silent }, stepped: { cost: stepped } } } };
    writeFileSync(place('silent'), JSON.stringify(document));
    const deployments = [{ id: 'groq:stepped', provider: 'groq', upstreamModel: 'stepped' }];
    const models = [priced, { ...priced, id: 'groq/stepped', deployments }];
    const command = `${what} update --from ${place('silent')} --apply`;
    const { asked, out } = await ran(command, [{ ...snapshot, models }, {}, reply(true)]);
    const kept = { cacheWrite1h: '4', perRequest: '0.005' };
    expect(asked[2]).toMatchObject({
      prices: [
        { model: 'groq/fast', prices: { ...kept, input: '3', cachedInput: '0.1', longContext: [step] } },
        {
          model: 'groq/stepped',
          prices: { ...kept, cachedInput: '0.3', longContext: [{ ...step, input: '6', output: '4' }] },
        },
      ],
    });
    expect(out).toContain(
      'does not tell them: groq/fast (cachedInput 0.1, cacheWrite1h 4, all above 200000 tokens, perRequest 0.005), groq/stepped (cacheWrite1h 4, cachedInput 0.4 above 200000 tokens, perRequest 0.005)',
    );
  });

  it('refuses what is of another form', async () => {
    const other = ran(`prices update --from ${place('models.dev')} --format genai-prices`, [snapshot, reply(false)]);
    await expect(other).rejects.toThrow('is not a price document of the format genai-prices');
  });
});

describe('catalog update', () => {
  const window = { contextWindow: 200_000, maxOutputTokens: 64_000 };
  const abilities = { tools: true, reasoning: true, structuredOutput: true };
  const capabilities = { supports_function_calling: true, supports_reasoning: true, supports_response_schema: true };
  const cost = { input_cost_per_token: 0.000003, output_cost_per_token: 0.000009, litellm_provider: 'groq' };
  const ended = { ...cost, deprecation_date: '2026-08-16' };
  const takes = { reasoning: true, tool_call: true, structured_output: true, modalities: { input: ['text', 'image'] } };
  const limits = { max_input_tokens: 200_000, max_output_tokens: 64_000 };
  const mtok = { input_mtok: 3, output_mtok: 9 };

  it.each<[string, object, object]>([
    [
      'models.dev',
      {
        groq: {
          models: {
            'fast-2': { cost: { input: 3, output: 9 }, limit: { context: 200_000, output: 64_000 }, ...takes },
            'fast-0': { cost: { input: 3, output: 9 }, status: 'deprecated' },
          },
        },
      },
      { ...window, inputModalities: ['text', 'image'], capabilities: abilities },
    ],
    [
      'litellm',
      { 'groq/fast-2': { ...cost, ...limits, ...capabilities, supports_vision: true }, 'groq/fast-0': ended },
      { ...window, inputModalities: ['text', 'image'], capabilities: abilities },
    ],
    [
      'genai-prices',
      [
        {
          id: 'groq',
          models: [
            { id: 'fast-2', context_window: 200_000, prices: mtok },
            { id: 'fast-0', deprecated: true, prices: mtok },
          ],
        },
      ],
      { contextWindow: 200_000 },
    ],
  ])(
    'shows what a document of %s has and the catalog lacks, and writes it with what it tells',
    async (format, document, facts) => {
      writeFileSync(place(`new-${format}`), JSON.stringify(document));
      const file = join(folder, `${format}.yaml`);
      const command = `catalog update --from ${place(`new-${format}`)} --format ${format} --write ${file}`;
      const { out } = await ran(command, [snapshot, reply(false, [])]);
      expect(out).toMatch(/groq\/fast-2 +200,000 +3 +9\n/);
      expect(out).toContain('1 models are new.');
      expect(parseTollgateFile(file, readFileSync(file, 'utf8')).models).toEqual([
        expect.objectContaining({
          ...{ id: 'groq/fast-2', provider: 'groq', upstreamModel: 'fast-2', ...facts },
          prices: expect.objectContaining({ input: '3', output: '9' }) as object,
        }),
      ]);
    },
  );

  it('writes nothing unless it is told where', async () => {
    writeFileSync(place('unwritten'), JSON.stringify({ 'groq/fast-2': { ...cost, ...limits } }));
    const command = `catalog update --from ${place('unwritten')} --format litellm`;
    const { asked, out } = await ran(command, [snapshot, reply(false, [])]);
    expect(asked[1]).toMatchObject({ apply: false });
    expect(out).toContain('Add --write <file> to have them as entries of tollgate.yaml.');
  });
});
