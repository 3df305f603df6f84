import { ControlError, isApiKey, noUsage } from '@tollgate/contracts';
import { fastModel, ran } from './ran.fixture';

const account = { name: 'A', email: 'a@example.com', status: 'active', plan: 'beta', createdAt: 0 };

describe('a list', () => {
  it('is read to its last page', async () => {
    const pages = [
      {
        accounts: [
          { ...account, id: '3' },
          { ...account, id: '2' },
        ],
        next: '2',
      },
      { accounts: [{ ...account, id: '1' }], next: null },
    ];
    const { asked, out } = await ran('accounts list --status active --json', pages);
    expect(asked).toEqual([
      { subject: 'accounts.accounts.list', status: 'active', limit: 500 },
      { subject: 'accounts.accounts.list', status: 'active', limit: 500, after: '2' },
    ]);
    expect((JSON.parse(out) as { accounts: { id: string }[] }).accounts.map(({ id }) => id)).toEqual(['3', '2', '1']);
  });

  it('says so when it is empty', async () => {
    expect((await ran('keys list', [{ keys: [], next: null }])).out).toBe('There are no keys.');
    expect((await ran('accounts list', [{ accounts: [], next: null }])).out).toBe('There are no accounts.');
  });
});

describe('what is looked up', () => {
  it('are the plans, with their limits and how many have them', async () => {
    const plans = [
      {
        ...{ name: 'beta', rpm: 60, tpm: 9000, quotaTokens: null, concurrency: 4, origin: 'settings' },
        modelLimits: [{ model: 'openai/*', rpm: 6, tpm: 900 }],
        ...{ keys: 12, accounts: null },
      },
    ];
    const { out } = await ran('plans list', [{ plans }]);
    expect(out.split('\n')[1]?.split(/ {2,}/)).toEqual([
      ...['beta', '12', '?', '60', '9,000', 'unlimited', '4', 'openai/*: rpm=6, tpm=900', 'settings'],
    ]);
  });

  it('are lines of the audit log', async () => {
    const line = {
      id: '1',
      at: 0,
      actor: 'token:ci',
      action: 'key-created',
      accountId: 'a',
      keyId: null,
      detail: { x: 1 },
    };
    const { asked, out } = await ran('audit list --about ci --limit 5', [{ lines: [line], next: '1' }]);
    expect(asked).toEqual([{ subject: 'accounts.administration.list-audit', query: 'ci', limit: 5 }]);
    expect(out).toMatch(/^1970-01-01T00:00:00Z +token:ci +key-created +a +\{"x":1\}$/m);
  });

  it('are single requests of a window that ends now', async () => {
    const { asked, out } = await ran('requests list --key k --since 1h', [{ requests: [], next: null }]);
    const [{ startAt, endAt }] = asked as [{ startAt: number; endAt: number }];
    expect(asked).toEqual([{ subject: 'metering.reports.requests', keyIds: ['k'], startAt, endAt, limit: 50 }]);
    expect(endAt - startAt).toBe(3_600_000);
    expect(out).toBe('There are no such requests.');
    await expect(ran('requests list --limit 500', [])).rejects.toThrow();
  });

  it('are those of an account by its e-mail address, and by its id', async () => {
    const none = { requests: [], next: null };
    const found = { ...account, purpose: '', keys: 1, role: null };
    const first = { accounts: [{ ...found, id: '1', email: 'aa@example.com' }], next: '1' };
    const second = { accounts: [{ ...found, id: '2' }], next: null };
    const { asked } = await ran('requests list --account A@example.com', [first, second, none]);
    expect(asked).toMatchObject([
      { subject: 'accounts.administration.search-accounts', query: 'a@example.com' },
      { subject: 'accounts.administration.search-accounts', query: 'a@example.com', after: '1' },
      { subject: 'metering.reports.requests', accountId: '2' },
    ]);
    const id = '01930000-0000-7000-8000-000000000000';
    expect((await ran(`requests list --account ${id}`, [none])).asked).toMatchObject([{ accountId: id }]);
    await expect(ran('requests list --account c@example.com', [second])).rejects.toThrow(
      'There is no account c@example.com: accounts list shows them.',
    );
  });

  const request = {
    ...{
      id: 'e',
      requestId: 'r',
      keyId: 'k',
      accountId: 'a',
      requestedModel: 'm',
      model: 'groq/fast',
      provider: 'groq',
    },
    ...{ surface: 'openai-chat', stream: false, state: 'completed', status: 200, estimated: false, usage: noUsage },
    ...{ attempts: [], costNanoUsd: '1500', startedAt: 0, firstTokenAt: null, endedAt: 1 },
  };
  const listed = { requests: [request], next: null };
  const catalog = (facts: object) => {
    return { revision: 1, sandbox: false, providers: [], models: [{ ...fastModel, ...facts }], available: [] };
  };

  it('are marked where the price of their model is unconfirmed', async () => {
    const { out } = await ran('requests list', [listed, catalog({ priceUnconfirmed: true })]);
    expect(out).toMatch(/ 0\.0000015\?\n/);
    expect(out).toContain('? The price is unconfirmed');
    const sure = await ran('requests list', [listed, catalog({})]);
    expect(sure.out).toMatch(/ 0\.0000015$/);
    const json = await ran('requests list --json', [listed, catalog({ priceUnconfirmed: true })]);
    expect(JSON.parse(json.out)).toMatchObject({ requests: [{ requestId: 'r', priceUnconfirmed: true }] });
  });

  it('are listed without a mark while catalog is away', async () => {
    const { out } = await ran('requests list', [listed, new ControlError('unavailable', 'nobody answers')]);
    expect(out).toMatch(/ 0\.0000015$/);
  });
});

describe('the status', () => {
  it('names every service with its instances and their releases, and says that several run', async () => {
    const catalog = {
      ...{ revision: 3, generatedAt: 1, sandbox: true, providers: [], models: [], available: [], factsAsOf: null },
    };
    const metering = { pendingEvents: 0, deadLetters: 0, reservedTokens: 0, liveLeases: 0 };
    const one = { version: '1.0.0', instance: 'a/1', startedAt: 1 };
    const instances = ['edge', 'inference', 'accounts', 'catalog', 'metering'].map((service) => ({ ...one, service }));
    const newer = { ...one, service: 'metering', version: '1.1.0', instance: 'b/1' };
    const replies = [{ accounts: [], next: null }, catalog, metering];
    const { out } = await ran('status', [instances, ...replies]);
    expect(out).toMatch(/edge +yes +1 of 1\.0\.0/);
    expect(out).not.toContain('Several releases');
    const { out: upgrading } = await ran('status', [[...instances, newer], ...replies]);
    expect(upgrading).toMatch(/metering +yes +1 of 1\.0\.0, 1 of 1\.1\.0 +0 events waiting/);
    const { out: refused } = await ran('status', [null, ...replies]);
    expect(refused).toContain('docker compose kill -s HUP nats');
    expect(refused).not.toMatch(/edge|NO/);
    expect(upgrading).toContain('Several releases run (1.0.0, 1.1.0): an upgrade is under way, or was left half-way.');
  });
});

describe('the providers', () => {
  const good = {
    provider: 'cloud',
    url: 'https://api.cloud.test/v1',
    ok: true,
    says: 'lists 3 models; small gave a token',
  };
  const says = 'does not have qwen3:8b, which home/qwen asks for; it lists qwen3:4b';
  const wrong = { provider: 'home', url: 'http://127.0.0.1:11434/v1', ok: false, says };

  it('are checked one line each, with what is wrong and what would be right, and a script learns that one is not good', async () => {
    let out = '';
    const checked = ran('providers check', [{ checks: [good, wrong] }], {}, (text) => (out += text));
    await expect(checked).rejects.toThrow('Not good: home.');
    const lines = out.split('\n').map((line) => line.trim().split(/  +/));
    expect(lines.slice(1)).toEqual([
      ['cloud', 'yes', good.url, good.says],
      ['home', 'NO', wrong.url, says],
    ]);
  });

  it.each([
    ['providers check', null],
    ['providers check cloud', 'cloud'],
  ])('are all asked, or the one that is named: %s', async (line, provider) => {
    const { asked } = await ran(line, [{ checks: [good] }]);
    expect(asked).toEqual([{ subject: 'inference.providers.check', provider, token: true }]);
  });
});

describe('models on their first day', () => {
  it('are looked for now, and switched on by who says so in the audit log', async () => {
    const looks = [{ provider: 'openai', models: 2, came: ['gpt-7'], went: [] }];
    const looked = await ran('models look openai', [{ looks }]);
    expect(looked.asked).toEqual([{ subject: 'inference.models.look', provider: 'openai' }]);
    expect(looked.out).toMatch(/openai +2 +gpt-7/);
    const model = 'openai/gpt-7';
    const { asked, out } = await ran(`models on ${model}`, [{}, { model, enabled: true }]);
    const act = { actor: 'cli:spec', action: 'model-enabled', detail: { model } };
    expect(asked).toEqual([
      { subject: 'accounts.administration.record-act', ...act },
      { subject: 'catalog.models.set-enabled', model, enabled: true },
    ]);
    expect(out).toBe('openai/gpt-7 is on.');
  });
});

describe('a change', () => {
  it('names who makes it', async () => {
    const { asked } = await ran('accounts suspend a@example.com', [{ account: { ...account, id: '1' } }]);
    expect(asked).toEqual([
      { subject: 'accounts.accounts.set-status', account: 'a@example.com', status: 'suspended', actor: 'cli:spec' },
    ]);
  });
});

describe('logged requests', () => {
  const facts = {
    ...{ id: '0198c3f2-8b1a-7c55-9d2e-5f4a3b2c1d0e', requestId: 'r', keyId: 'k', accountId: 'a', model: 'm' },
    ...{ surface: 'openai-chat', stream: false, state: 'completed', status: 200, cached: false, startedAt: 1 },
    ...{ endedAt: 2, redactions: 0, requestTruncated: true, answerTruncated: false, expiresAt: 3 },
  };
  const content = { ...facts, request: '{"a":"\\u001b[31m"}', answer: null };
  const act = { accountId: 'a', actor: 'cli:spec', detail: { eventId: facts.id, requestId: 'r', keyId: 'k' } };

  it('are shown after the audit log says so, with nothing that moves the cursor', async () => {
    const { asked, out } = await ran('logs show r', [facts, {}, content]);
    expect(asked).toEqual([
      { subject: 'metering.content-log.find', id: 'r' },
      { subject: 'accounts.administration.record-act', ...act, action: 'content-read' },
      { subject: 'metering.content-log.read', id: facts.id },
    ]);
    expect(out).toContain('Request (cut):\n{\n  "a": "\\u001b[31m"\n}');
    expect(out).not.toContain('\u001b');
  });

  it('are not shown when that cannot be written', async () => {
    await expect(ran('logs show r', [facts])).rejects.toThrow();
  });

  it('are removed one by one, or by key until none is left', async () => {
    const one = await ran('logs delete r', [facts, {}, {}]);
    expect(one.asked.slice(1)).toEqual([
      { subject: 'accounts.administration.record-act', ...act, action: 'content-removed' },
      { subject: 'metering.content-log.remove', id: facts.id },
    ]);
    expect(one.out).toBe('Removed 1 logged request.');
    const keys = {
      keys: [
        {
          ...account,
          ...{
            id: 'k',
            accountId: 'a',
            version: 1,
            keyStatus: 'active',
            accountStatus: 'active',
            rpm: null,
            quotaTokens: null,
            models: [],
            expiresAt: null,
            display: 'd',
            accountName: 'A',
          },
        },
      ],
      next: null,
    };
    const parts = [
      { removed: 2_000, isDone: false },
      { removed: 5, isDone: true },
    ];
    const all = await ran('logs delete --key k', [{ key: keys.keys[0] }, {}, ...parts]);
    expect(all.asked.slice(1)).toEqual([
      { subject: 'accounts.administration.record-act', ...act, action: 'content-removed', detail: { keyId: 'k' } },
      { subject: 'metering.content-log.remove-of-key', keyId: 'k' },
      { subject: 'metering.content-log.remove-of-key', keyId: 'k' },
    ]);
    expect(all.out).toBe('Removed 2005 logged requests.');
    for (const wrong of ['logs delete', 'logs delete r --key k'])
      await expect(ran(wrong, [])).rejects.toThrow('either');
  });

  it('are switched on for a key', async () => {
    const key = {
      id: 'k',
      accountId: 'a',
      version: 1,
      name: 'n',
      keyStatus: 'active',
      accountStatus: 'active',
      plan: 'beta',
      rpm: null,
      quotaTokens: null,
      models: [],
      logContent: true,
      expiresAt: null,
      display: 'd',
      createdAt: 1,
      accountName: 'A',
    };
    const { asked, out } = await ran('keys log-content k on', [{ key }]);
    expect(asked).toEqual([{ subject: 'accounts.keys.update', keyId: 'k', logContent: true, actor: 'cli:spec' }]);
    expect(out).toBe('Logging requests of d (n).');
  });
});

describe('a key for the first start', () => {
  it('is made without a gateway, with the prefix of the installation or another one', async () => {
    expect(isApiKey((await ran('keys make', [])).out)).toBe(true);
    expect((await ran('keys make', [], { TOLLGATE_KEY_PREFIX: 'acme' })).out).toMatch(/^acme_sk_/);
    expect((await ran('keys make --prefix own', [], { TOLLGATE_KEY_PREFIX: 'acme' })).out).toMatch(/^own_sk_/);
    await expect(ran('keys make --prefix A', [])).rejects.toThrow('TOLLGATE_KEY_PREFIX');
  });
});

describe('check', () => {
  it('is content with settings that are as they should be', async () => {
    expect((await ran('check', [], { LOG_LEVEL: 'info', EDGE_INSTANCES: '1' })).out).toBe('The settings are fine.');
  });

  it('tells all that is wrong at once, in plain words', async () => {
    const wrong = {
      LOG_LEVEL: 'loud',
      INFERENCE_INSTANCES: '0',
      EDGE_INSTANCES: '2',
      EDGE_BODY_LIMIT: 'much',
      OIDC_ISSUER: 'https://login.example',
      TOLLGATE_DOMAIN: 'https://gateway.example',
      TOLLGATE_CONFIG: '/nowhere/tollgate.yaml',
    };
    const told = await ran('check', [], wrong).catch((error: unknown) => String(error));
    for (const name of Object.keys(wrong)) expect(told).toContain(name);
    expect(told).toContain('LOG_LEVEL: must be one of fatal, error, warn, info, debug, trace, silent');
  });
});

it.each([
  ['tokens create', '90d'],
  ['keys rotate', '24h'],
  ['requests list', '24h'],
  ['usage drain', '5s'],
  ['usage drain', '2m'],
])('the help of %s shows the default as it is written: %s', async (commandLine, words) => {
  let out = '';
  await expect(ran(`${commandLine} --help`, [], {}, (text) => (out += text))).rejects.toThrow();
  expect(out).toContain(`default: ${words})`);
  expect(out).not.toMatch(/default: \d{3,}\)/);
});

describe('usage drain', () => {
  const state = { reservedTokens: 0, liveLeases: 0, pendingEvents: 0, deadLetters: 0, received: 7 };
  const kept = { received: 5, stored: 2, problems: [], next: null };

  it('waits until nothing waits, and then plays again what is kept', async () => {
    const { asked, out } = await ran('usage drain --still 0 --json', [{ ...state, pendingEvents: 3 }, state, kept]);
    expect(asked.map((one) => (one as { subject: string }).subject)).toEqual([
      'metering.status.get',
      'metering.status.get',
      'metering.usage.replay',
    ]);
    expect(JSON.parse(out)).toEqual({
      waitedAtFirst: 3,
      deadLetters: 0,
      kept: { received: 5, stored: 2, problems: [] },
    });
  });

  it('refuses when usage waits or still comes at the end of the time', async () => {
    const drain = 'usage drain --timeout 0';
    await expect(ran(drain, Array(99).fill({ ...state, pendingEvents: 3 }))).rejects.toThrow('3 messages of usage');
    const coming = Array.from({ length: 99 }, (_, received) => ({ ...state, received }));
    await expect(ran(drain, coming)).rejects.toThrow('Usage still comes in');
  });

  it('refuses beside a metering that does not tell whether usage still comes', async () => {
    const { received: _, ...older } = state;
    await expect(ran('usage drain --still 0', [older, kept])).rejects.toThrow('of an older release');
  });

  it('refuses when something of what is kept cannot be stored', async () => {
    const left = ran('usage drain --still 0', [state, { ...kept, problems: ['one cannot be read'] }]);
    await expect(left).rejects.toThrow('cannot be read or stored');
  });

  it('refuses when dead letters are left', async () => {
    const left = ran('usage drain --still 0', [{ ...state, deadLetters: 1 }, kept]);
    await expect(left).rejects.toThrow('1 dead letters are in this NATS and nowhere else');
  });
});

it.each(['webhooks create --help', 'budgets create --help', 'import openrouter --help'])(
  '%s tells no empty list as what holds where nothing is named',
  async (line) => {
    let told = '';
    const shown = ran(line, [], {}, (text) => void (told += text));
    await expect(shown).rejects.toMatchObject({ code: 'commander.helpDisplayed' });
    expect(told).toContain('Options:');
    expect(told).not.toContain('[]');
  },
);
