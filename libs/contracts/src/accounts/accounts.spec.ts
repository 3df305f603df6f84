import { accountsOperations, callerKey, keyChanged, toWireKey } from './accounts';

/** A key as accounts of the release before limits of tokens and models tells it to edges. */
const former = {
  ...{ id: 'k1', accountId: 'a1', version: 3, name: 'build', keyStatus: 'active', accountStatus: 'active' },
  ...{ plan: 'pro', rpm: 60, quotaTokens: null, concurrency: 4, budgets: [], models: ['openai/*'] },
  ...{ cacheTtlS: null, logContent: false, tellCost: false, tags: [], project: 'web', expiresAt: null },
};
const unlimited = { tpm: null, modelLimits: [] };

describe('a key of an accounts of the release before', () => {
  it('has no tokens a minute and no limits of models, wherever edges hear of it', () => {
    expect(callerKey.parse(former)).toEqual({ ...former, ...unlimited });
    expect(keyChanged.parse({ revision: 1, digest: 'd', key: former }).key).toEqual({ ...former, ...unlimited });
    const { reply } = accountsOperations.resolveKey;
    expect(reply.parse({ key: former, revision: 1 }).key).toEqual({ ...former, ...unlimited });
  });

  it('follows its plan in what that accounts does not tell of it', () => {
    const summary = { ...former, display: 'tg-…abcd', createdAt: 0, accountName: 'A' };
    const { key } = accountsOperations.getKey.reply.parse({
      key: { ...summary, ownLimits: { rpm: 60, quotaTokens: null } },
    });
    expect(key.ownLimits).toEqual({ rpm: 60, tpm: 'plan', quotaTokens: null });
    expect(accountsOperations.getKey.reply.parse({ key: summary }).key.ownLimits).toBeUndefined();
  });
});

describe('a key of an accounts of the next release', () => {
  it('is taken without what is not known here, also of its limits', () => {
    const limits = { model: 'openai/*', rpm: 5, tpm: null };
    const next = {
      ...{ ...former, tpm: 1_000, unheard: { of: 'it' } },
      modelLimits: [
        { ...limits, imagesPerDay: 3 },
        { model: 'xai/*', imagesPerDay: 3 },
      ],
    };
    const read = { ...former, tpm: 1_000, modelLimits: [limits, { model: 'xai/*', rpm: null, tpm: null }] };
    expect(callerKey.parse(next)).toEqual(read);
  });
});

describe('a key whose account brought keys of providers', () => {
  const key = callerKey.parse({ ...former, ownKeys: { acme: 'sealed' } });
  const told = JSON.parse(JSON.stringify(toWireKey(key))) as object;

  it.each([4, null])('is told to edges as it is, of %s generations at once', (concurrency) => {
    const wire = toWireKey({ ...key, concurrency });
    expect(keyChanged.parse({ revision: 1, digest: 'd', key: wire }).key).toEqual({ ...key, concurrency });
    const { reply } = accountsOperations.resolveKey;
    expect(reply.parse({ key: wire, revision: 1 }).key).toEqual({ ...key, concurrency });
  });

  it('may generate nothing at an edge that does not know of them', () => {
    const before = callerKey.omit({ ownKeys: true });
    expect(before.parse(told)).toMatchObject({ concurrency: 0 });
  });

  it('falls back from those alone of which accounts tells that, and from none at an edge that does not know of it', () => {
    const { key: chosen } = keyChanged.parse({
      ...{ revision: 1, digest: 'd' },
      key: toWireKey({ ...key, ownKeysFallBack: ['acme'] }),
    });
    expect(chosen).toEqual({ ...key, ownKeysFallBack: ['acme'] });
    // An accounts of the release before tells of the keys alone; an edge of it reads past the choice.
    const { reply } = accountsOperations.resolveKey;
    expect(reply.parse({ key: told, revision: 1 }).key).not.toHaveProperty('ownKeysFallBack');
    expect(callerKey.omit({ ownKeysFallBack: true }).parse(chosen)).toEqual(key);
  });
});
