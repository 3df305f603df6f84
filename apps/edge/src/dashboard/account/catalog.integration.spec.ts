import { providerDefinition } from '@tollgate/contracts/catalog';
import { model } from '../../testing/catalog-fixture';
import { EdgeRig, eventually } from '../../testing/edge-rig';

let rig: EdgeRig;
beforeAll(async () => {
  rig = await EdgeRig.start();
});
afterAll(() => rig.stop());

interface Listed {
  models: { id: string; pricing: { old: boolean } | null; availableWithKeyOf?: string[] }[];
  sandbox: boolean;
}
const read = async () => (await (await fetch(`${rig.url}/api/catalog`)).json()) as Listed;

describe('the list of models', () => {
  it('is for everybody, with prices, and says which are live; also while accounts is away', async () => {
    rig.people.isAway = true;
    const { models, sandbox } = await read();
    rig.people.isAway = false;
    expect(sandbox).toBe(true);
    expect(models[0]).toEqual({
      id: 'openai/gpt-5.4-mini',
      name: 'openai/gpt-5.4-mini',
      provider: 'openai',
      providerName: 'openai',
      kind: 'text',
      status: 'active',
      contextWindow: 128_000,
      maxOutputTokens: 16_384,
      inputModalities: ['text'],
      outputModalities: ['text'],
      capabilities: { streaming: true, tools: true, vision: false, reasoning: false, structuredOutput: true },
      pricing: {
        ...{ input: '0.15', output: '0.6', cachedInput: null, cacheWrite: null, hours: [], unconfirmed: false },
        ...{ longContext: [], served: [] },
        ...{ asOf: null, old: false },
      },
      retirement: null,
      available: true,
      simulated: true,
    });
    expect(models.find(({ id }) => id === 'xai/grok-9')).toMatchObject({ available: false });
    expect(models.find(({ id }) => id.includes('embedding'))).toMatchObject({ kind: 'embedding' });
  });

  it('says where one can be asked by who brings a key of its provider alone', async () => {
    const xai = {
      id: 'xai',
      name: 'xAI',
      dialect: 'openai-chat',
      baseUrl: 'http://x.test',
      apiKeyEnv: ['XAI_API_KEY'],
    };
    const providers = [providerDefinition.parse(xai)];
    const models = ['xai/one', 'xai/off', 'openai/two'].map((id) => model(id));
    rig.catalog.change({ sandbox: false, providers, models, available: [], disabled: ['xai/off'] });
    await eventually(async () => (await read()).models.length === 3);
    const listed = (await read()).models.map(({ id, availableWithKeyOf }) => [id, availableWithKeyOf]);
    expect(listed).toEqual([
      ['xai/one', ['xai']],
      ['xai/off', undefined],
      ['openai/two', undefined],
    ]);
  });

  it('marks prices that were taken from their source too long ago', async () => {
    const models = [
      { ...model('openai/older'), pricesAsOf: '2020-01-31' },
      { ...model('openai/newer'), pricesAsOf: new Date().toISOString().slice(0, 10) },
    ];
    rig.catalog.change({ models, available: ['openai/older', 'openai/newer'] });
    await eventually(async () => (await read()).models.length === 2);
    const listed = (await read()).models.map(({ id, pricing }) => [id, pricing?.old]);
    expect(listed).toEqual([
      ['openai/older', true],
      ['openai/newer', false],
    ]);
  });

  it('travels compressed when it is long', async () => {
    const models = Array.from({ length: 100 }, (_, n) => model(`openai/model-${n}`));
    rig.catalog.change({ models, available: ['openai/model-1'] });
    await eventually(async () => (await read()).models.length === 100);
    const packed = await fetch(`${rig.url}/api/catalog`);
    expect(packed.headers.get('content-encoding')).toBe('gzip');
    const plain = await fetch(`${rig.url}/api/catalog`, { headers: { 'accept-encoding': 'identity' } });
    expect(plain.headers.get('content-encoding')).toBeNull();
    expect(await packed.json()).toEqual(await plain.json());
  });
});
