import {
  accountsOperations,
  administrationOperations,
  memberOperations,
  peopleOperations,
  secondFactorOperations,
  webhookOperations,
} from '@tollgate/contracts/accounts';
import { guardrail, providerDefinition } from '@tollgate/contracts/catalog';
import { version } from '@tollgate/observability';
import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import { Browser } from '../../testing/browser';
import { EdgeRig, eventually } from '../../testing/edge-rig';

let rig: EdgeRig;
let administrator: Browser;
beforeAll(async () => {
  rig = await EdgeRig.start();
  rig.accounts.create({ id: 'any-key', accountId: 'account-2' });
  administrator = await Browser.withSession(rig.url, rig.people.open('administrator', 'account-9').token);
});
afterAll(() => rig.stop());

const actor = 'administrator@example.com';
const meReply = z.object({ user: z.looseObject({ role: z.string() }), waiting: z.unknown() });

describe('an administrator', () => {
  it.each([
    ['/api/admin/accounts/account-2/status', { status: 'active', plan: 'pro' }, accountsOperations.setAccountStatus],
    ['/api/admin/accounts/account-2/role', { role: 'administrator' }, peopleOperations.setRole],
    ['/api/admin/accounts/account-2/reset-links', {}, peopleOperations.makeResetLinks],
    ['/api/admin/accounts/account-2/people/person-2/reset-second-factor', {}, secondFactorOperations.reset],
    ['/api/admin/accounts/account-2/people/person-2/remove', {}, memberOperations.remove],
    ['/api/admin/keys', { accountId: 'account-2', name: 'x', rpm: null }, accountsOperations.createKey],
    ['/api/admin/keys/any-key/revoke', {}, accountsOperations.revokeKey],
    ['/api/admin/webhooks', { name: 'ops', url: 'https://ops.example/' }, webhookOperations.create],
    ['/api/admin/webhooks/webhook-1/test', {}, webhookOperations.test],
    ['/api/admin/webhooks/webhook-1/remove', {}, webhookOperations.remove],
    ['/api/admin/dead-letters/1/replay', {}, administrationOperations.recordAct],
    ['/api/admin/dead-letters/1/drop', {}, administrationOperations.recordAct],
    ['/api/admin/models/switch', { model: 'openai/gpt-5.4-mini', enabled: false }, administrationOperations.recordAct],
    ['/api/admin/config', { document: '', version: 0 }, administrationOperations.recordAct],
    ['/api/admin/config/rollback', { to: 1 }, administrationOperations.recordAct],
    ['/api/admin/providers/check', { provider: 'openai' }, administrationOperations.recordAct],
    ['/api/admin/providers/look', { provider: null }, administrationOperations.recordAct],
    ['/api/admin/deployments/hold', { deployment: 'eu', state: 'closed' }, administrationOperations.recordAct],
  ])('is named in the audit log by %s', async (path, body, operation) => {
    const response = await administrator.post(path, body);
    expect(response.status).toBeLessThan(300);
    expect(rig.people.askedOf(operation).at(-1)).toMatchObject({ actor });
  });

  it('looks at what settings would change without a word in the audit log, and is told that others were faster', async () => {
    const acts = () => rig.people.askedOf(administrationOperations.recordAct).length;
    const before = acts();
    expect((await administrator.post('/api/admin/config', { document: '', version: 0, dryRun: true })).status).toBe(
      200,
    );
    expect(acts()).toBe(before);
    const late = await administrator.post('/api/admin/config', { document: '', version: 4 });
    expect([late.status, await late.json()]).toMatchObject([
      409,
      { error: { code: 409, message: 'The settings are of version 0 now.' } },
    ]);
    expect(acts()).toBe(before + 1);
    for (const version of ['none', '0', '1795762868591'])
      expect((await administrator.ask('GET', `/api/admin/config/history/${version}`)).status).toBe(404);
  });

  it('changes limits: a number, unlimited, or what the plan says', async () => {
    const body = { rpm: 'plan', quotaTokens: null, models: [], expiresAt: null };
    expect((await administrator.ask('PATCH', '/api/admin/keys/any-key', body)).status).toBe(200);
    expect(rig.people.askedOf(accountsOperations.updateKey)).toEqual([{ ...body, keyId: 'any-key', actor }]);
    const wrong = await administrator.ask('PATCH', '/api/admin/keys/any-key', { rpm: -1 });
    expect([wrong.status, await wrong.json()]).toMatchObject([
      400,
      { error: { message: expect.stringMatching(/^rpm: /) } },
    ]);
  });

  it.each([
    ['plan', ''],
    ['expiresAt', -1],
  ])('is told which field is wrong, of a new key and of one that exists: %s', async (field, value) => {
    const created = { accountId: 'account-2', name: 'x', [field]: value };
    const refused = [
      await administrator.post('/api/admin/keys', created),
      await administrator.ask('PATCH', '/api/admin/keys/any-key', { [field]: value }),
    ];
    for (const response of refused)
      expect([response.status, await response.json()]).toMatchObject([
        400,
        { error: { message: expect.stringMatching(new RegExp(`^${field}: `)) } },
      ]);
  });

  it('has guardrails tried with a text, for what requests name, and nothing of it counted', async () => {
    const rule = { id: 'hush', kind: 'regex', patterns: ['hush'], appliesTo: 'input', action: 'block' };
    const guardrails = [guardrail.parse({ ...rule, models: ['openai/*'], keys: ['any-key'] })];
    rig.catalog.change({ guardrails });
    const listed = async () => (await administrator.get('/api/admin/guardrails')).json() as Promise<{ data: object[] }>;
    await eventually(async () => (await listed()).data.length === 1);
    expect(await listed()).toMatchObject({ data: [{ id: 'hush', looksFor: ['hush'] }], counts: [] });
    const tried = async (named: object) => {
      const answer = await administrator.post('/api/admin/guardrails/try', { text: 'hush', ...named });
      return [answer.status, await answer.json()];
    };
    const blocked = { holding: 1, findings: [{ guardrail: 'hush', action: 'block' }], blockedBy: 'hush', goesOn: null };
    for (const named of [{}, { model: 'gpt-5.4-mini' }, { model: 'openai/gpt-5.4-mini', keyId: 'any-key' }])
      expect(await tried(named)).toEqual([200, blocked]);
    expect(await tried({ model: 'anthropic/claude-sonnet-5' })).toMatchObject([200, { holding: 0, goesOn: 'hush' }]);
    for (const named of [{ model: 'no/model' }, { keyId: 'no-key' }]) expect((await tried(named))[0]).toBe(404);
    expect(rig.metering.found).toEqual([]);
  });

  it('tries a guardrail that is not in force, alone, and tells why its patterns cannot be taken', async () => {
    const tried = async (changes: object) => {
      const draft = { id: 'draft', kind: 'regex', appliesTo: 'both', action: 'redact', patterns: ['h.sh'], ...changes };
      const answer = await administrator.post('/api/admin/guardrails/try', { text: 'a hush', draft });
      return [answer.status, await answer.text()] as const;
    };
    const [status, told] = await tried({});
    const findings = [{ guardrail: 'draft', action: 'redact' }];
    expect([status, JSON.parse(told)]).toEqual([
      200,
      { holding: 1, findings, blockedBy: null, goesOn: 'a [redacted:draft]' },
    ]);
    expect(await tried({ appliesTo: 'output' })).toEqual([200, expect.stringContaining('"holding":0')]);
    const many = Array.from({ length: 11 }, () => 'a');
    for (const patterns of [['(a'], ['a*'], many, ['a{200}b'], ['a{120}', 'b{120}']]) {
      expect(await tried({ patterns })).toEqual([400, expect.stringContaining('draft.patterns')]);
    }
  });

  it('changes what somebody is in their account', async () => {
    const path = '/api/admin/accounts/account-2/people/person-2';
    const changed = await administrator.ask('PATCH', path, { role: 'viewer' });
    expect([changed.status, await changed.json()]).toMatchObject([200, { person: { accountRole: 'viewer' } }]);
    const [change] = rig.people.askedOf(memberOperations.setRole).slice(-1);
    expect(change).toEqual({ account: 'account-2', personId: 'person-2', role: 'viewer', actor });
    expect((await administrator.ask('PATCH', path, { role: 'king' })).status).toBe(400);
  });

  it('has a provider asked, and the lists of all read', async () => {
    const checked = await administrator.post('/api/admin/providers/check', { provider: 'openai' });
    expect(await checked.json()).toMatchObject({ checks: [{ provider: 'openai', ok: true }] });
    const looked = await administrator.post('/api/admin/providers/look', { provider: null });
    expect(await looked.json()).toMatchObject({ looks: [{ came: ['gpt-7'] }] });
  });

  it('sees the people of an account, and resets the second factor of others than themselves', async () => {
    const people = await administrator.get('/api/admin/accounts/account-2/people');
    expect(await people.json()).toMatchObject({ people: [{ email: 'user@example.com', hasSecondFactor: true }] });
    const before = rig.people.askedOf(secondFactorOperations.reset).length;
    const own = '/api/admin/accounts/account-9/people/person-administrator/reset-second-factor';
    const refused = await administrator.post(own, {});
    expect([refused.status, await refused.text()]).toEqual([400, expect.stringContaining('settings')]);
    expect(rig.people.askedOf(secondFactorOperations.reset)).toHaveLength(before);
  });

  it('sees where alerts go, what became of them, and the secret of a new webhook once', async () => {
    const told = async (path: string) => (await administrator.get(path)).json();
    expect(await told('/api/admin/webhooks')).toMatchObject({ webhooks: [{ name: 'ops', host: 'ops.example' }] });
    expect(await told('/api/admin/webhooks/deliveries?limit=5')).toEqual({ data: [], next: null });
    expect(rig.people.askedOf(webhookOperations.deliveries)).toEqual([{ limit: 5 }]);
    const body = { name: 'chat', url: 'https://chat.example/', form: 'slack', kinds: ['provider.down'] };
    const made = await administrator.post('/api/admin/webhooks', body);
    expect([made.status, await made.json()]).toMatchObject([201, { secret: 'whsec_told_once' }]);
    expect(rig.people.askedOf(webhookOperations.create).at(-1)).toEqual({ ...body, actor });
    const paused = await administrator.ask('PATCH', '/api/admin/webhooks/webhook-1', { paused: true });
    expect(await paused.json()).toMatchObject({ webhook: { name: 'ops', paused: true } });
    const change = { webhookId: 'webhook-1', paused: true, actor };
    expect(rig.people.askedOf(webhookOperations.update)).toEqual([change]);
    const wrong = await administrator.post('/api/admin/webhooks', { ...body, kinds: ['none.such'] });
    expect([wrong.status, await wrong.text()]).toEqual([400, expect.stringContaining('kinds')]);
  });

  it('finds accounts', async () => {
    const response = await administrator.get('/api/admin/accounts?status=pending&query=ada&limit=5');
    expect(await response.json()).toMatchObject({ data: [{ email: 'user@example.com', keys: 2 }], next: null });
    expect(rig.people.askedOf(administrationOperations.searchAccounts)).toContainEqual({
      ...{ status: 'pending', query: 'ada', limit: 5 },
    });
  });

  it('reads the audit log by names, and downloads every page of what was looked for', async () => {
    const named = { keyId: 'key-1', keyName: 'Notes', accountId: 'account-1', accountName: 'Ada' };
    const page = await administrator.get('/api/admin/audit?action=key-changed&query=ada');
    expect(await page.json()).toMatchObject({ data: [{ id: '2', ...named }], next: '2' });
    expect(rig.people.askedOf(administrationOperations.listAudit)).toEqual([
      { action: 'key-changed', query: 'ada', limit: 50 },
    ]);
    const csv = await (await administrator.get('/api/admin/audit/export?format=csv')).text();
    expect(csv.trimEnd().split('\r\n')).toEqual([
      'at,actor,action,account_id,account,key_id,key,detail',
      ...Array(2).fill(
        '1970-01-01T00:00:01.000Z,root,key-changed,account-1,Ada,key-1,Notes,"{""rpm"":5,""rpmBefore"":null}"',
      ),
    ]);
    const json = await (await administrator.get('/api/admin/audit/export?format=json')).json();
    expect(json).toMatchObject([{ id: '2' }, { id: '1' }]);
  });

  it('sees the plans with their limits', async () => {
    expect(await (await administrator.get('/api/admin/plans')).json()).toEqual({
      data: [
        {
          name: 'beta',
          rpm: 60,
          tpm: null,
          quotaTokens: 1_000_000,
          concurrency: null,
          modelLimits: [],
          origin: 'release',
          keys: 3,
          accounts: null,
        },
      ],
    });
  });

  it('sees how the gateway is', async () => {
    const status = await (await administrator.get('/api/admin/status')).json();
    expect(status).toEqual({
      pendingEvents: 0,
      deadLetters: 1,
      reservedTokens: 0,
      liveLeases: 0,
      inferenceInstances: expect.any(Number),
    });
    const models = await (await administrator.get('/api/admin/models')).json();
    expect(models).toMatchObject({ data: expect.arrayContaining([expect.objectContaining({ aliases: ['mini'] })]) });
  });

  it('sees which instances run, and their release', async () => {
    const told = async () => (await (await administrator.get('/api/admin/instances')).json()) as { data: object[] };
    const { data } = await eventually(told, ({ data: all }) => all.length > 0);
    expect(data).toEqual([{ service: 'edge', version, instance: expect.any(String), startedAt: expect.any(Number) }]);
  });

  it('sees which keys end soon, and which work and sleep', async () => {
    const told = async (path: string) => (await administrator.get(`/api/admin/keys${path}`)).json();
    const asleep = { data: [{ id: 'key-1', lastUsedAt: 7_000 }], next: null };
    expect(await told('/attention?endsBy=5')).toMatchObject({ ending: { data: [{ id: 'key-1' }] }, asleep });
    expect(await told('?asleep=true&limit=9')).toMatchObject(asleep);
    const asked = rig.people.askedOf(accountsOperations.listKeys);
    const madeBy = expect.any(Number) as number;
    expect(asked).toEqual(
      expect.arrayContaining([
        { endsBy: 5, limit: 50 },
        { madeBy, limit: 500 },
      ]),
    );
    expect(asked.at(-1)).toEqual({ madeBy, limit: 9 });
  });

  it('sees that nobody knows which keys sleep while metering is away', async () => {
    rig.metering.isAway = true;
    const told = await administrator.get('/api/admin/keys/attention?endsBy=5');
    rig.metering.isAway = false;
    expect(await told.json()).toMatchObject({ asleep: { data: [], useUnknown: true } });
  });

  it('sees what a new gateway lacks', async () => {
    const told = await (await administrator.get('/api/admin/first-day')).json();
    expect(told).toEqual({ othersHaveAccess: false, wasAsked: false });
  });

  it('is told who asks for access with who they are, and others are not', async () => {
    const told = async (page: typeof administrator) => meReply.parse(await (await page.visit()).json());
    const { waiting } = await eventually(
      () => told(administrator),
      (me) => me.waiting !== null,
    );
    expect(waiting).toEqual({ names: ['Ada'], isMore: false });
    expect((await told(await Browser.withSession(rig.url, rig.people.open('user').token))).waiting).toBeNull();

    // Whoever would mend it is let in all the same.
    rig.people.refusesSearches = true;
    expect(await told(administrator)).toMatchObject({ user: { role: 'administrator' }, waiting: null });
    rig.people.refusesSearches = false;
  });

  it('sees the bills of providers beside ours, and the requests behind a line', async () => {
    const bills = await administrator.get('/api/admin/bills?from=2026-11-17&to=2026-11-22');
    expect(await bills.json()).toMatchObject({
      ...{ lines: [], bills: [{ source: '2026-11-17', day: '2026-11-22', problem: 'it answered 401' }] },
    });
    // A bill may name no model.
    const line = 'provider=openai&day=2026-11-22&model=&kind=webSearch';
    const requests = await administrator.get(`/api/admin/bills/requests?${line}`);
    expect(await requests.json()).toMatchObject({
      ...{ requests: [{ requestId: 'openai 2026-11-22  webSearch', reason: 'unknown-here' }], count: 1 },
    });
    expect((await administrator.get('/api/admin/bills?from=yesterday&to=2026-11-22')).status).toBe(400);
  });

  it('sees providers with their last hour', async () => {
    const { providers } = rig.catalog.snapshot;
    expect(await (await administrator.get('/api/admin/providers')).json()).toMatchObject({
      data: providers.map(({ id }) => ({ id })),
    });
  });

  it('sees which deployments are left alone', async () => {
    const deployment = { timesOpened: 1, retryInMs: 5_000, concurrencyLimit: null };
    const house = { id: 'house', name: 'House', dialect: 'openai-chat', baseUrl: 'https://house.test', apiKeyEnv: [] };
    rig.catalog.change({ providers: [providerDefinition.parse(house)] });
    rig.catalog.tellHealth({
      instance: 'one',
      deployments: [
        { ...deployment, deployment: 'eu', provider: 'house', state: 'open' },
        { ...deployment, deployment: 'us', provider: 'house', state: 'closed' },
        { ...deployment, deployment: 'other', provider: 'elsewhere', state: 'open' },
      ],
    });
    await eventually(async () => {
      const { data } = (await (await administrator.get('/api/admin/providers')).json()) as {
        data: { leftAlone: string[] }[];
      };
      return data.length === 1 && data[0]?.leftAlone.join() === 'eu';
    });
  });

  it('sees which of several keys of a provider rest, each once, for as long as at the instance that waits longest', async () => {
    const house = { id: 'house', name: 'House', dialect: 'openai-chat', baseUrl: 'https://house.test', apiKeyEnv: [] };
    rig.catalog.change({ providers: [providerDefinition.parse(house)] });
    const rest = { provider: 'house', key: 2, deployment: null, status: 401, restsForMs: 9_000, of: 3, mark: '0f1e' };
    const limited = { ...rest, key: 3, deployment: 'eu', status: 429 };
    rig.catalog.tellHealth({ instance: 'one', deployments: [], restingKeys: [limited, rest] });
    const elsewhere = { ...rest, provider: 'elsewhere' };
    rig.catalog.tellHealth({ instance: 'two', deployments: [], restingKeys: [{ ...rest, restsForMs: 5 }, elsewhere] });
    const told = [rest, limited].map(({ provider: _provider, of: _of, mark: _mark, ...one }) => one);
    await eventually(async () => {
      const { data } = (await (await administrator.get('/api/admin/providers')).json()) as { data: unknown[] };
      return isDeepStrictEqual(
        data.map((one) => (one as { restingKeys: unknown }).restingKeys),
        [told],
      );
    });
  });

  it('sees how each deployment stands at all instances together, and what was decided of it', async () => {
    const [first, ...rest] = rig.catalog.snapshot.models;
    if (!first) throw new Error('no model');
    const ids = ['held', 'tried', 'idle', 'busy', 'once'];
    const deployments = ids.map((id) => ({ id, provider: 'house', upstreamModel: 'one' }));
    const held = { state: 'closed' as const, reason: 'a leak', by: 'cli:ada', since: 1, until: null };
    rig.catalog.change({
      models: [{ ...first, deployments }, ...rest],
      held: [{ deployment: 'held', ...held }],
    });
    const tried = { deployment: 'tried', provider: 'house', timesOpened: 1, retryInMs: 0, inFlight: 2, probes: 1 };
    const failing = { ...tried, state: 'open' as const, why: '500', concurrencyLimit: 3 };
    const well = { ...tried, state: 'closed' as const, concurrencyLimit: 4 };
    const busy = { ...well, answersNobody: true, why: '503' };
    const [busyAtBoth, busyAtOne] = [
      { ...busy, deployment: 'busy' },
      { ...busy, deployment: 'once' },
    ];
    rig.catalog.tellHealth({ instance: 'one', deployments: [well, busyAtBoth, busyAtOne] });
    rig.catalog.tellHealth({ instance: 'two', deployments: [failing, busyAtBoth, { ...well, deployment: 'once' }] });
    const standing = { state: 'open', why: '500', instances: 2, inFlight: 4, probes: 2, concurrencyLimit: 7 };
    await eventually(async () => {
      const { data } = (await (await administrator.get('/api/admin/deployments')).json()) as {
        data: { id: string; standing: { instances: number } | null; held: unknown }[];
      };
      const of = (id: string) => data.find((one) => one.id === id);
      if (of('tried')?.standing?.instances !== 2 || !of('held')?.held) return false;
      expect(of('tried')).toMatchObject({ provider: 'house', models: [first.id], held: null, standing });
      expect(of('held')).toMatchObject({ held, standing: null });
      expect(of('idle')).toMatchObject({ held: null, standing: null });
      expect(of('busy')).toMatchObject({ standing: { state: 'closed', answersNobody: true, why: '503' } });
      expect(of('once')).toMatchObject({ standing: { state: 'closed', answersNobody: false } });
      return true;
    });
  });

  it('decides nothing of a deployment that cannot be written down', async () => {
    rig.people.refusesActs = true;
    const refused = await administrator.post('/api/admin/deployments/hold', { deployment: 'eu', state: 'open' });
    rig.people.refusesActs = false;
    expect(refused.status).toBeGreaterThanOrEqual(500);
  });

  it('is told of a dead letter that cannot be', async () => {
    expect((await administrator.get('/api/admin/dead-letters/x')).status).toBe(404);
    expect(await (await administrator.get('/api/admin/dead-letters/1')).json()).toMatchObject({ body: '{}x' });
  });
});
