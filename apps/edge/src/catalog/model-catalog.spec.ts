import { GatewayError } from '@tollgate/contracts';
import { ModelIndex, providerDefinition } from '@tollgate/contracts/catalog';
import { Clock } from '../clock';
import { model, snapshot } from '../testing/catalog-fixture';
import { FakeClock } from '../testing/fake-clock';
import { ModelCatalog } from './model-catalog';
import { modelNotices } from './model-notices';

function catalogOf(changes: Partial<typeof snapshot> = {}, clock: Clock = new FakeClock()): ModelCatalog {
  const catalog = new ModelCatalog(clock);
  catalog.use({ ...snapshot, ...changes });
  return catalog;
}

const anyModel = { models: [] };

/** The status of the GatewayError that `resolve` throws. */
function refusalOf(resolve: () => unknown): number | null {
  try {
    resolve();
    return null;
  } catch (error) {
    return error instanceof GatewayError ? error.status : null;
  }
}

describe('readiness', () => {
  it('waits for the first live model, but believes after ten seconds that there is none', () => {
    jest.useFakeTimers();
    const empty = catalogOf({ available: [] });
    expect(empty.isReady).toBe(false);
    expect(catalogOf().isReady).toBe(true);
    jest.advanceTimersByTime(10_001);
    expect(empty.isReady).toBe(true);
    jest.useRealTimers();
  });
});

describe('a snapshot', () => {
  it('is taken once, whatever its revision, and where it has the revision and another content: two catalogs may differ', () => {
    const catalog = catalogOf({ digest: 'a' });
    const { revision } = snapshot;
    for (const told of [revision, revision + 1])
      expect(catalog.use({ ...snapshot, digest: 'a', revision: told })).toBe(false);
    expect(catalog.use({ ...snapshot, digest: 'b', available: [] })).toBe(true);
    expect(refusalOf(() => catalog.resolve('mini', anyModel))).toBe(404);
  });
});

describe('the model of a request', () => {
  it('is found by id, by alias, and by its bare id', () => {
    for (const name of ['openai/gpt-5.4-mini', 'mini', 'gpt-5.4-mini'])
      expect(catalogOf().resolve(name, anyModel).model.id).toBe('openai/gpt-5.4-mini');
  });

  it('is not found by a bare id that two models have', () => {
    const models = [model('a/same'), model('b/same')];
    expect(() => catalogOf({ models, available: ['a/same', 'b/same'] }).resolve('same', anyModel)).toThrow(
      'may be one of several: name a/same, b/same.',
    );
  });

  it('may ask others beside it where the key may use them, and where its provider is told of them', () => {
    const known = { name: 'Anthropic', baseUrl: 'http://a.test', apiKeyEnv: [] };
    const providers = [providerDefinition.parse({ ...known, id: 'anthropic', dialect: 'anthropic-messages' })];
    const ids = ['anthropic/claude-haiku-5-5', 'anthropic/claude-opus-5-5'];
    const catalog = catalogOf({ providers, models: ids.map((id) => model(id)), available: ids });
    const check = (names: string[], asked: string, models: string[]) => () =>
      catalog.checkBeside(names, model(asked), { models });
    const [haiku = ''] = ids;
    const beside = ['claude-opus-5-5'];
    expect(check(beside, haiku, [haiku])).toThrow('This API key may not use the model "claude-opus-5-5".');
    expect(refusalOf(check(['claude-unknown'], haiku, [haiku]))).toBe(403);
    for (const allowed of [[], ids, ['anthropic/*']]) expect(check(beside, haiku, allowed)).not.toThrow();
    expect(check(['claude-unknown'], haiku, [])).not.toThrow();
    expect(check(beside, 'openai/gpt-5.4-mini', ['openai/*'])).not.toThrow();
  });

  it('is any name of a provider within reach that passes it on, for whom it is allowed', () => {
    const known = { id: 'openai', name: 'OpenAI', dialect: 'openai-chat', baseUrl: 'http://a.test', apiKeyEnv: [] };
    const open = [providerDefinition.parse({ ...known, unlisted: true })];
    const catalog = catalogOf({ providers: open, reachable: ['openai'] });
    expect(catalog.resolve('openai/gpt-9-nova', anyModel).model).toMatchObject({ unlisted: true, prices: null });
    expect(catalog.reported('openai/gpt-9-nova')).toBe('openai/gpt-9-nova');
    expect(refusalOf(() => catalog.resolve('openai/gpt-9-nova', { models: ['anthropic/*'] }))).toBe(403);
    expect(refusalOf(() => catalog.resolve('xai/grok-99', anyModel))).toBe(404);
    expect(refusalOf(() => catalogOf({ providers: open }).resolve('openai/gpt-9-nova', anyModel))).toBe(404);
    expect(catalog.list(anyModel).some(({ unlisted }) => unlisted)).toBe(false);
  });

  it('is one that the operator has no key for, for whom its account brought one, and for nobody else', () => {
    const known = {
      id: 'xai',
      name: 'xAI',
      dialect: 'openai-chat',
      baseUrl: 'http://x.test',
      apiKeyEnv: ['XAI_API_KEY'],
    };
    const providers = [providerDefinition.parse({ ...known, unlisted: true })];
    const models = [model('openai/gpt-5.4-mini', { fallbacks: ['xai/grok-9'] }), model('xai/grok-9')];
    const changes = { sandbox: false, providers, models, available: ['openai/gpt-5.4-mini'] };
    const catalog = catalogOf(changes);
    const brings = { models: [], ownKeys: { xai: 'sealed' } };
    expect(catalog.resolve('grok-9', brings).model.id).toBe('xai/grok-9');
    expect(catalog.resolve('xai/any-name', brings).model).toMatchObject({ unlisted: true });
    expect(catalog.reported('xai/any-name')).toBe('xai/any-name');
    expect(catalog.list(brings).map(({ id }) => id)).toEqual(['openai/gpt-5.4-mini', 'xai/grok-9']);
    const [mini] = catalog.list(anyModel);
    const places = (ownKeys?: Record<string, string>) =>
      (mini ? catalog.placesOf(mini, ownKeys) : []).map(({ id }) => id);
    expect(places(brings.ownKeys)).toEqual(['openai/gpt-5.4-mini', 'xai/grok-9']);
    expect(places()).toEqual(['openai/gpt-5.4-mini']);
    for (const other of [anyModel, { models: [], ownKeys: { openai: 'sealed' } }]) {
      expect(refusalOf(() => catalog.resolve('grok-9', other))).toBe(404);
      expect(refusalOf(() => catalog.resolve('xai/any-name', other))).toBe(404);
    }
    expect(refusalOf(() => catalog.resolve('grok-9', { ...brings, models: ['openai/*'] }))).toBe(403);
    const keptOff = [
      { disabled: ['xai/grok-9'] },
      { sandbox: true },
      { providers: providers.map((each) => ({ ...each, queues: true })) },
    ];
    for (const kept of keptOff)
      expect(refusalOf(() => catalogOf({ ...changes, ...kept }).resolve('grok-9', brings))).toBe(404);
  });

  it.each([
    ['no/such', anyModel, 404],
    ['__proto__', anyModel, 404],
    ['xai/grok-9', anyModel, 404],
    ['mini', { models: ['anthropic/*'] }, 403],
    ['xai/grok-9', { models: ['anthropic/*'] }, 403],
  ])('%s for %j is a %s', (name, key, status) => {
    expect(refusalOf(() => catalogOf().resolve(name, key))).toBe(status);
  });

  it('cannot be told while the catalog was never read: 503', () => {
    expect(refusalOf(() => new ModelCatalog(new FakeClock()).resolve('mini', anyModel))).toBe(503);
  });
});

describe('a name that several models share', () => {
  const provider = (id: string, makes: string[] = []) =>
    providerDefinition.parse({
      id,
      name: id,
      dialect: 'openai-chat',
      baseUrl: `https://${id}.test`,
      apiKeyEnv: [],
      makes,
    });
  const providers = [provider('anthropic', ['claude-']), provider('azure'), provider('vertex')];
  const models = [model('azure/claude-opus-5'), model('anthropic/claude-opus-5'), model('vertex/claude-opus-5')];
  const served = (available: string[], name = 'claude-opus-5', patterns: string[] = []) =>
    catalogOf({ providers, models, available }).resolve(name, { models: patterns }).model.id;

  it.each([
    ['the maker, where all are live', ['azure/claude-opus-5', 'anthropic/claude-opus-5'], 'anthropic/claude-opus-5'],
    ['the maker, where it alone is live', ['anthropic/claude-opus-5'], 'anthropic/claude-opus-5'],
    ['another, where it alone is live', ['vertex/claude-opus-5'], 'vertex/claude-opus-5'],
  ])('means %s', (_, available, id) => {
    expect(served(available)).toBe(id);
  });

  it('means the one that the key may use', () => {
    const live = models.map(({ id }) => id);
    expect(served(live, 'claude-opus-5', ['vertex/*'])).toBe('vertex/claude-opus-5');
    expect(() => served(live, 'claude-opus-5', ['openai/*'])).toThrow('may not use');
  });

  it('means what it meant for who brings a key of another provider, which is asked by its whole id', () => {
    const closed = providers.map((each) => ({ ...each, apiKeyEnv: ['KEY'] }));
    const catalogWith = (...available: string[]) => catalogOf({ sandbox: false, providers: closed, models, available });
    const chosen = (catalog: ModelCatalog, name: string, ...brought: string[]) =>
      catalog.resolve(name, { models: [], ownKeys: Object.fromEntries(brought.map((id) => [id, 'sealed'])) }).model.id;
    const one = catalogWith('azure/claude-opus-5');
    expect(chosen(one, 'claude-opus-5', 'vertex')).toBe('azure/claude-opus-5');
    expect(chosen(one, 'claude-opus-5', 'vertex', 'anthropic')).toBe('azure/claude-opus-5');
    expect(chosen(one, 'anthropic/claude-opus-5', 'anthropic')).toBe('anthropic/claude-opus-5');
    expect(chosen(catalogWith(), 'claude-opus-5', 'vertex')).toBe('vertex/claude-opus-5');
    expect(chosen(catalogWith(), 'claude-opus-5', 'vertex', 'anthropic')).toBe('anthropic/claude-opus-5');
    expect(() => chosen(catalogWith(), 'claude-opus-5', 'vertex', 'azure')).toThrow('may be one of several');
  });

  it("is a 404 that names them where live ones are nobody's own", () => {
    expect(() => served(['azure/claude-opus-5', 'vertex/claude-opus-5'])).toThrow(
      'may be one of several: name azure/claude-opus-5, vertex/claude-opus-5.',
    );
  });

  it('has no credentials where none is live', () => {
    expect(() => served([])).toThrow('no credentials of its provider are set');
  });

  it.each([
    'claude-opus-5[1m]',
    'claude-opus-5-20260724',
    'claude-opus-5@20260724',
    'Claude-Opus.5',
    'anthropic/claude-opus.5',
  ])('%s is served, and its caller is told as what', (name) => {
    const catalog = catalogOf({ providers, models, available: ['anthropic/claude-opus-5'] });
    const resolved = catalog.resolve(name, anyModel);
    expect(resolved.model.id).toBe('anthropic/claude-opus-5');
    const told = modelNotices(resolved, 0)?.['x-gateway-warnings'] ?? null;
    expect(told).toBe(resolved.asked === null ? null : `${name} is served as anthropic/claude-opus-5`);
  });

  it('that does not exist is a 404 that names the nearest', () => {
    expect(() => served(['anthropic/claude-opus-5'], 'claude-opus-6')).toThrow('Did you mean anthropic/claude-opus-5?');
    const asked = () => served(['anthropic/claude-opus-5'], 'zzz');
    expect(asked).toThrow('does not exist. GET /v1/models');
    expect(asked).toThrow(expect.objectContaining({ details: { reason: 'model_not_found' } }) as Error);
  });
});

it('that does not exist costs no look at who made each model, however often it is asked for', () => {
  const catalog = catalogOf();
  const looked = jest.spyOn(ModelIndex.prototype, 'isMakers');
  expect(refusalOf(() => catalog.resolve('openai/gpt-5.4-nobody', anyModel))).toBe(404);
  expect(looked).not.toHaveBeenCalled();
  looked.mockRestore();
});

describe('a model that ends', () => {
  const end = { deprecated: '2026-06-11', date: '2026-12-11', successor: 'openai/new', redirects: false };
  const day = Date.UTC(2026, 11, 11);
  const at = (now: number, changes = {}, models = ['openai/old', 'openai/new']) =>
    catalogOf(
      { models: [model('openai/old', { retirement: { ...end, ...changes } }), model('openai/new')], available: models },
      new FakeClock(now),
    );
  const told = (now: number, changes = {}) => modelNotices(at(now, changes).resolve('openai/old', anyModel), now);

  it('is told by its dates long before, and in words within sixty days', () => {
    expect(told(day - 61 * 86_400_000)).toEqual({
      deprecation: '@1781136000',
      sunset: 'Fri, 11 Dec 2026 00:00:00 GMT',
    });
    expect(told(day - 60 * 86_400_000)).toMatchObject({
      'x-gateway-warnings': 'openai/old ends on 2026-12-11: use openai/new instead',
    });
    expect(told(day - 1, { redirects: true })).toMatchObject({
      'x-gateway-warnings': 'openai/old ends on 2026-12-11: its provider answers with openai/new from then on',
    });
  });

  it('is advised against from sixty days before, where its provider told nothing but the day', () => {
    const since = day - 60 * 86_400_000;
    expect(told(since - 1, { deprecated: null })).toEqual({ sunset: 'Fri, 11 Dec 2026 00:00:00 GMT' });
    for (const now of [since, day - 1])
      expect(told(now, { deprecated: null })).toMatchObject({ deprecation: `@${since / 1_000}` });
  });

  it('has no headers without dates', () => {
    expect(told(0, { deprecated: null, date: null })).toEqual({});
    expect(modelNotices(at(0).resolve('openai/new', anyModel), 0)).toBeNull();
  });

  it('is a 404 with its successor from its day on, to the millisecond, and listed no more', () => {
    expect(at(day - 1).resolve('old', anyModel).model.id).toBe('openai/old');
    expect(at(day - 1).list(anyModel)).toHaveLength(2);
    expect(() => at(day).resolve('old', anyModel)).toThrow(
      'The model "old" was retired by its provider on 2026-12-11. Its successor is openai/new.',
    );
    expect(
      at(day)
        .list(anyModel)
        .map(({ id }) => id),
    ).toEqual(['openai/new']);
  });

  it('is served as its successor where its provider does so, as long as that is live and allowed', () => {
    const resolved = at(day, { redirects: true }).resolve('openai/old', anyModel);
    expect(resolved.model.id).toBe('openai/new');
    expect(modelNotices(resolved, day)).toEqual({
      'x-gateway-warnings': 'openai/old ended on 2026-12-11: its provider answers with openai/new',
    });
    expect(refusalOf(() => at(day, { redirects: true }, []).resolve('openai/old', anyModel))).toBe(404);
    expect(refusalOf(() => at(day, { redirects: true }).resolve('openai/old', { models: ['openai/old'] }))).toBe(403);
  });

  it('stays a name that is known where no model has it', () => {
    const retiredNames = [{ name: 'gpt-4', date: '2026-10-23', successor: null }];
    expect(() => catalogOf({ retiredNames }).resolve('gpt-4', anyModel)).toThrow(
      'The model "gpt-4" was retired by its provider on 2026-10-23.',
    );
  });
});

it('tells what is logged, and before it is known that nothing is: a page can be shown without it', () => {
  const contentLog = { retentionDays: 1, maxBodyBytes: 1_024, detectors: [], patterns: [] };
  expect(catalogOf({ contentLog }).contentLog).toEqual(contentLog);
  expect(new ModelCatalog(new FakeClock()).contentLog).toBeNull();
});
