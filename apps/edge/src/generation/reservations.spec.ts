import { rateLimitError } from '@tollgate/contracts';
import type { CatalogModel } from '@tollgate/contracts/catalog';
import type { KeyBudget } from '@tollgate/contracts/metering';
import { Admission, usesNothingCounted } from '../admission/admission';
import { MemoryRateLimitStore } from '../admission/memory-rate-limit-store';
import { RequestRates } from '../admission/request-rates';
import { MemoryTokenRateStore } from '../admission/token-rates/memory-token-rate-store';
import type { BudgetReservations, MostSpent, Spending } from '../admission/leases/budget-reservations';
import type { QuotaReservations } from '../admission/leases/quota-reservations';
import type { Authenticator } from '../callers/authenticator';
import type { ModelCatalog } from '../catalog/model-catalog';
import { Clock } from '../clock';
import type { EdgeMetrics } from '../edge-metrics';
import { RequestContext } from '../http/request-context';
import type { Settings } from '../settings';
import { model } from '../testing/catalog-fixture';
import { callerKey } from '../testing/fake-accounts';
import { Reservations } from './reservations';
import type { Served } from './served-request';

const [opus, sonnet, haiku] = ['anthropic/opus', 'anthropic/sonnet', 'anthropic/haiku'].map((id) => model(id));
const fast = model('openai/fast', { fallbacks: ['anthropic/haiku'] });
const other = model('anthropic/small', { kind: 'embedding' });
const models = [opus, sonnet, haiku, fast, other].filter((one) => one !== undefined);
const read = { maxOutputTokens: 10, inputTokensEstimate: 4, mediaTokens: 0, needs: [] };

const resetsAt = '2026-12-01T00:00:00.000Z';
const usedUpUntil = rateLimitError(42, {
  limit: 'budget',
  reason: 'budget_exhausted',
  budget: { name: 'x', resetsAt },
});

/** A request for a model with these budgets, of which those named have nothing left. */
async function reserve(
  asked: CatalogModel | undefined,
  budgets: KeyBudget[],
  usedUp: string[] = [],
  ownKeys?: Record<string, string>,
  by: 'reserve' | 'withoutOwnKeys' = 'reserve',
) {
  const asking: string[][] = [];
  const settled: string[][] = [];
  const told: Record<string, string>[] = [];
  const bounds: MostSpent[] = [];
  const spending = (those: readonly KeyBudget[], most: MostSpent): Spending => {
    bounds.push(most);
    const names = those.map(({ id }) => id);
    asking.push(names);
    const exceeded = those.filter(({ id }) => usedUp.includes(id)).map((one) => ({ ...one, refusal: usedUpUntil }));
    return { holds: [], exceeded, settle: () => void settled.push(names) };
  };
  const catalog = {
    placesOf: (one: CatalogModel) => [one, ...models.filter(({ id }) => one.fallbacks.includes(id))],
    resolve: (name: string) => ({ model: models.find(({ id }) => id === name) }),
  };
  const reservations = new Reservations(
    new RequestRates(new MemoryRateLimitStore(new Clock()), new MemoryTokenRateStore(new Clock())),
    { reserve: () => ({ leaseId: 'l', tokens: 1, settle: () => undefined }) } as unknown as QuotaReservations,
    { reserve: spending } as unknown as BudgetReservations,
    catalog as unknown as ModelCatalog,
    { refusedBy: () => undefined } as unknown as Admission,
    { defaultOutputReserve: 100 } as unknown as Settings,
    new Clock(),
  );
  const key = callerKey({ budgets, ownKeys });
  const sent = { read, parsed: {}, textBytes: () => 4 };
  const served = { model: asked, body: Buffer.from('{}'), goesOn: false, sent, admitted: { caller: { key } } };
  const warnings: string[] = [];
  const context = {
    tell: (headers: Record<string, string>) => void told.push(headers),
    warn: (words: string) => void warnings.push(words),
  };
  const granted = await reservations[by](served as unknown as Served, context as unknown as RequestContext);
  return { model: granted.model.id, ownKeys: granted.ownKeys, asking, bounds, settled, told, warnings };
}

const inTokens = (id: string): KeyBudget => ({ ...budget(id, []), unit: 'tokens', soft: false });
const budget = (id: string, ofModels: string[], fallbackModel: string | null = null): KeyBudget => ({
  ...{ id, name: id, unit: 'usd', limitNanoUsd: '1000000000', soft: true, fallbackModel, models: ofModels, each: null },
});

it.each([
  ['nothing', {}, true],
  ['requests a minute, which are taken before', { rpm: 5 }, true],
  ['a quota', { quotaTokens: 0 }, false],
  ['tokens a minute', { tpm: 5 }, false],
  ['requests of a model', { modelLimits: [{ model: '*', rpm: 5, tpm: null }] }, false],
  ['a budget', { budgets: [budget('dollars', [])] }, false],
])('of a key with a limit of %s nothing is counted: %j, %s', (_, limits, isNothing) => {
  expect(usesNothingCounted(callerKey(limits))).toBe(isNothing);
});

describe('budgets of a request', () => {
  it('are those of every model, and of the models that may answer it, by a fallback too', async () => {
    const budgets = [budget('all', []), budget('haiku', ['*haiku']), budget('opus', ['anthropic/op*'])];
    expect((await reserve(opus, budgets)).asking).toEqual([['all', 'opus']]);
    expect((await reserve(fast, budgets)).asking).toEqual([['all', 'haiku']]);
    expect((await reserve(sonnet, [budget('opus', ['anthropic/opus'])])).asking).toEqual([]);
  });

  it('are kept in dollars and in tokens, of the same request', async () => {
    const { asking, bounds } = await reserve(opus, [budget('dollars', []), inTokens('tokens')]);
    expect(asking).toEqual([['dollars', 'tokens']]);
    expect(bounds[0]?.tokens).toBe(14n);
    expect(bounds[0]?.usd).toBeGreaterThan(0n);
  });

  it('in dollars are not asked where the account pays the provider with a key of its own', async () => {
    const budgets = [{ ...budget('dollars', []), soft: false }, inTokens('tokens')];
    expect((await reserve(opus, budgets, ['dollars'], { anthropic: 'sealed' })).asking).toEqual([['tokens']]);
    expect((await reserve(fast, budgets, [], { anthropic: 'sealed' })).asking).toEqual([['dollars', 'tokens']]);
  });

  it('in dollars are asked where it goes on without that key, also of a model that serves instead', async () => {
    const key = { anthropic: 'sealed' };
    const hard = [{ ...budget('dollars', []), soft: false }, inTokens('tokens')];
    const fallen = await reserve(opus, hard, [], key, 'withoutOwnKeys');
    expect(fallen).toMatchObject({ ownKeys: null, asking: [['dollars', 'tokens']] });
    expect(fallen.bounds[0]?.usd).toBeGreaterThan(0n);
    const soft = [budget('dear', ['anthropic/opus'], 'anthropic/haiku')];
    const cheaper = await reserve(opus, soft, ['dear'], key, 'withoutOwnKeys');
    expect(cheaper).toMatchObject({ model: 'anthropic/haiku', ownKeys: null });
  });

  it('in tokens need no price: of a model without one only those in dollars refuse, but for soft ones', async () => {
    const unpriced = model('acme/unpriced', { prices: null });
    const budgets = [budget('soft', []), inTokens('tokens')];
    expect((await reserve(unpriced, [inTokens('tokens')])).asking).toEqual([['tokens']]);
    expect((await reserve(unpriced, budgets)).asking).toEqual([['tokens']]);
    expect((await reserve(unpriced, [budget('soft', [])])).asking).toEqual([]);
    const hard = { ...budget('hard', []), soft: false };
    await expect(reserve(unpriced, [...budgets, hard])).rejects.toMatchObject({ status: 403 });
  });

  it('that are soft, used up and of the model that serves instead are obeyed as well, and told with the first', async () => {
    const budgets = [
      budget('dear', ['anthropic/opus'], 'anthropic/sonnet'),
      budget('middle', ['anthropic/sonnet'], 'anthropic/haiku'),
    ];
    const both = await reserve(opus, budgets, ['dear', 'middle']);
    expect(both).toMatchObject({ model: 'anthropic/haiku', asking: [['dear'], ['middle']] });
    expect(both.told).toEqual([{ 'x-tollgate-budget-exceeded': 'dear, middle' }]);
    expect(both.warnings).toEqual(['over budget: dear, middle; anthropic/haiku serves instead']);
    // What was held for a model that does not serve is free again.
    expect(both.settled).toEqual([['dear'], ['middle']]);
    expect(await reserve(opus, budgets, ['dear'])).toMatchObject({ model: 'anthropic/sonnet', settled: [['dear']] });
  });

  it('that are soft and whose other model cannot serve refuse until they reset, as hard ones do', async () => {
    const refused = reserve(opus, [budget('dear', [], 'anthropic/small')], ['dear']);
    await expect(refused).rejects.toMatchObject({
      ...{ status: 429, retryAfterS: 42, message: expect.stringContaining('cannot serve this') },
      body: { error: { details: { reason: 'budget_exhausted', budget: 'dear', resets_at: resetsAt } } },
    });
  });

  it('that name each other’s models end with the last, and are told', async () => {
    const budgets = [
      budget('all', [], 'anthropic/sonnet'),
      budget('back', ['anthropic/sonnet'], 'anthropic/opus'),
      budget('silent', ['anthropic/sonnet']),
    ];
    const served = await reserve(opus, budgets, ['all', 'back', 'silent']);
    expect(served).toMatchObject({ model: 'anthropic/sonnet', settled: [['all']] });
    expect(served.warnings).toEqual(['over budget: all, back, silent; anthropic/sonnet serves instead']);
    const alone = await reserve(sonnet, [budget('silent', [])], ['silent']);
    expect(alone.warnings).toEqual(['over budget: silent']);
    expect((await reserve(sonnet, [budget('silent', [])])).told).toEqual([]);
  });
});

describe('a request that goes on without a key of its account', () => {
  /**
   * The one of a minute that its key has, at all and of the model. `refusal`: its budget refuses it so, so
   * often.
   */
  async function letIn(refusal?: Error, often = Infinity) {
    const waited: number[] = [];
    const clock = new Clock();
    clock.sleep = (ms) => Promise.resolve(void waited.push(ms));
    let refusals = 0;
    const limits = new MemoryRateLimitStore(clock);
    const rates = new RequestRates(limits, new MemoryTokenRateStore(clock));
    const quotas = { reserve: () => ({ leaseId: null, tokens: 0, settle: () => undefined }), record: () => null };
    const budgets = () => {
      if (refusal && refusals++ < often) throw refusal;
      return { holds: [], exceeded: [], settle: () => undefined };
    };
    const admission = new Admission(
      ...([{} as Authenticator, limits, rates, quotas as unknown as QuotaReservations, clock] as const),
      { refused: () => undefined } as unknown as EdgeMetrics,
    );
    const reservations = new Reservations(
      ...([rates, quotas as unknown as QuotaReservations] as const),
      { reserve: budgets } as unknown as BudgetReservations,
      { placesOf: (one: CatalogModel) => [one] } as unknown as ModelCatalog,
      admission,
      { defaultOutputReserve: 100 } as unknown as Settings,
      clock,
    );
    const modelLimits = [{ model: '*', rpm: 1, tpm: null }];
    const key = callerKey({ rpm: 1, modelLimits, budgets: [{ ...budget('dollars', []), soft: false }] });
    const context = () => new RequestContext('r', clock);
    const caller = { key, digest: 'd' };
    const admitted = await admission.take(caller, context());
    const sent = { read, parsed: {}, textBytes: () => 4 };
    const served = { model: opus, body: Buffer.from('{}'), goesOn: false, sent, admitted } as unknown as Served;
    const tried = (by: 'reserve' | 'withoutOwnKeys') => Promise.resolve(reservations[by](served, context()));
    return { tried, waited, another: async () => admission.take(caller, context()), rates, key };
  }

  it('takes no second place among the requests of a minute', async () => {
    const { tried, rates, key } = await letIn();
    await tried('reserve');
    await expect(tried('reserve')).rejects.toMatchObject({ status: 429 });
    await expect(tried('withoutOwnKeys')).resolves.toMatchObject({ ownKeys: null });
    await expect(rates.take(key, 'anthropic/opus', 0)).rejects.toMatchObject({ status: 429 });
  });

  it('keeps the place that it took where it is refused, since a provider was asked', async () => {
    const refused = await letIn(rateLimitError(7, { limit: 'budget' }));
    await expect(refused.tried('withoutOwnKeys')).rejects.toMatchObject({ status: 429 });
    await expect(refused.another()).rejects.toMatchObject({ status: 429 });
    const before = await letIn(rateLimitError(7, { limit: 'budget' }));
    await expect(before.tried('reserve')).rejects.toMatchObject({ status: 429 });
    await expect(before.another()).resolves.toMatchObject({ requests: { admitted: true } });
  });

  it('waits once, and not for long, where what is missing is held for what is stored in a moment', async () => {
    const held = (waitS: number) => rateLimitError(waitS, { limit: 'budget', reason: 'budget_reserved' });
    const soon = await letIn(held(2), 1);
    await expect(soon.tried('withoutOwnKeys')).resolves.toMatchObject({ ownKeys: null });
    const notYet = await letIn(held(2));
    await expect(notYet.tried('withoutOwnKeys')).rejects.toMatchObject({ status: 429 });
    const late = await letIn(held(40), 1);
    await expect(late.tried('withoutOwnKeys')).rejects.toMatchObject({ status: 429 });
    const first = await letIn(held(2), 1);
    await expect(first.tried('reserve')).rejects.toMatchObject({ status: 429 });
    expect([soon.waited, notYet.waited, late.waited, first.waited]).toEqual([[2_000], [2_000], [], []]);
  });
});
