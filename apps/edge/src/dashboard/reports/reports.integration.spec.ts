import { setTimeout as sleep } from 'node:timers/promises';
import { Browser } from '../../testing/browser';
import { model } from '../../testing/catalog-fixture';
import { EdgeRig, eventually, question } from '../../testing/edge-rig';
import { loggedRequest } from '../../testing/fake-metering';

let rig: EdgeRig;
let user: Browser;
let administrator: Browser;
beforeAll(async () => {
  rig = await EdgeRig.start();
  rig.accounts.create({ id: 'own-key', accountId: 'account-1', project: 'web' });
  rig.accounts.create({ id: 'foreign-key', accountId: 'account-2' });
  user = await Browser.withSession(rig.url, rig.people.open('user').token);
  administrator = await Browser.withSession(rig.url, rig.people.open('administrator', 'account-9').token);
});
afterAll(() => rig.stop());

const window = 'startAt=0&endAt=3600000';
const asked = () => rig.metering.reportsAsked.at(-1);

describe('a report', () => {
  it.each([
    '/api/reports/series?step=hour&',
    '/api/reports/requests?',
    '/api/reports/failures?',
    '/api/reports/export?what=requests&format=csv&',
  ])('%s is of the own account only, unless an administrator asks for the fleet', async (path) => {
    expect((await user.get(`${path}${window}`)).status).toBe(200);
    expect(asked()).toMatchObject({ accountId: 'account-1' });
    expect((await administrator.get(`${path}${window}`)).status).toBe(200);
    expect(asked()).toMatchObject({ accountId: 'account-9' });
    expect((await administrator.get(`${path}${window}&scope=fleet`)).status).toBe(200);
    expect(asked()?.accountId).toBeUndefined();
    expect((await administrator.get(`${path}${window}&scope=fleet&accountId=account-1`)).status).toBe(200);
    expect(asked()).toMatchObject({ accountId: 'account-1' });
    const count = rig.metering.reportsAsked.length;
    expect((await user.get(`${path}${window}&scope=fleet`)).status).toBe(403);
    expect((await user.get(`${path}${window}&accountId=account-2`)).status).toBe(400);
    expect((await user.get(`${path}${window}&keyId=foreign-key`)).status).toBe(404);
    expect(rig.metering.reportsAsked).toHaveLength(count);
    expect((await user.get(`${path}${window}&keyId=own-key`)).status).toBe(200);
    expect(asked()).toMatchObject({ accountId: 'account-1', keyIds: ['own-key'] });
  });

  it('of a month is a statement of an account, or of the keys of a project, to read and to keep', async () => {
    const path = '/api/reports/statement?month=2026-11';
    const answer = await user.get(path);
    expect([answer.status, await answer.json()]).toMatchObject([
      200,
      { month: '2026-11', total: { costNanoUsd: '1500000001' } },
    ]);
    expect(asked()).toEqual({ accountId: 'account-1' });
    const file = await user.get(`${path}&format=csv&project=web`);
    expect(file.headers.get('content-disposition')).toBe('attachment; filename="tollgate-statement-2026-11.csv"');
    expect(await file.text()).toBe(
      [
        'day,model,requests,unpriced_requests,input_tokens,cached_input_tokens,output_tokens,cost_usd',
        "2026-11-02,'=a/b,2,1,9,4,3,1.500000001",
        '2026-11,total,2,1,9,4,3,1.500000001',
        '',
      ].join('\r\n'),
    );
    expect(asked()).toEqual({ accountId: 'account-1', keyIds: ['own-key'] });
    const count = rig.metering.reportsAsked.length;
    for (const [browser, query, status] of [
      [user, '&project=nobodys', 404],
      [user, '&accountId=account-2', 400],
      [user, '&scope=fleet&accountId=account-2', 403],
      [administrator, '&scope=fleet', 400],
    ] as const)
      expect([query, (await browser.get(`${path}${query}`)).status]).toEqual([query, status]);
    for (const month of ['2026-13', '2026', '2026-11-01', '0000-01', '0050-01'])
      expect((await user.get(`/api/reports/statement?month=${month}`)).status).toBe(400);
    expect(rig.metering.reportsAsked).toHaveLength(count);
    expect((await administrator.get(`${path}&scope=fleet&accountId=account-1`)).status).toBe(200);
    expect(asked()).toEqual({ accountId: 'account-1' });
  });

  it('by end user is of an account: the own one, or one that an administrator names', async () => {
    const slices = `/api/reports/slices?${window}&dimension=end_user`;
    const answer = await user.get(slices);
    expect([answer.status, await answer.json()]).toMatchObject([200, { slices: [{ name: 'ann', requests: 3 }] }]);
    expect(asked()).toMatchObject({ accountId: 'account-1', groupBy: 'end_user' });
    expect((await user.get(`${slices}&scope=fleet`)).status).toBe(403);
    expect((await user.get(`${slices}&keyId=foreign-key`)).status).toBe(404);
    expect((await administrator.get(`${slices}&scope=fleet`)).status).toBe(400);
    expect((await administrator.get(`${slices}&scope=fleet&accountId=account-1`)).status).toBe(200);
    expect(asked()).toMatchObject({ accountId: 'account-1', groupBy: 'end_user' });
    expect((await user.get(`/api/reports/slices?${window}&dimension=colour`)).status).toBe(400);
  });

  it('by project is of the keys that accounts tells, and not of one key', async () => {
    const path = `/api/reports/slices?${window}&dimension=project`;
    const answer = await user.get(path);
    expect([answer.status, await answer.json()]).toMatchObject([200, { slices: [{ name: 'web', requests: 3 }] }]);
    expect(asked()).toEqual({ accountId: 'account-1', keyIds: ['own-key'], groupBy: 'project' });
    const ofOneKey = await user.get(`${path}&keyId=own-key`);
    expect([ofOneKey.status, await ofOneKey.text()]).toEqual([400, expect.stringContaining('keyId: not with')]);
    expect((await administrator.get(`${path}&scope=fleet`)).status).toBe(400);
    expect((await administrator.get(`${path}&scope=fleet&accountId=account-2`)).status).toBe(200);
    expect(asked()).toMatchObject({ accountId: 'account-2', keyIds: [] });
    const file = await user.get(`/api/reports/export?what=slices&format=csv&dimension=project&${window}`);
    expect(await file.text()).toContain('web,3,0,30,60,0.0015');
  });

  it('is the same, byte for byte, of a metering that answers in columns and of one of the release before', async () => {
    const texts: string[] = [];
    for (const path of ['series?step=hour&groupBy=model&', 'export?what=series&format=json&'])
      for (const isOfBefore of [false, true]) {
        rig.metering.isOfBefore = isOfBefore;
        texts.push(await (await user.get(`/api/reports/${path}${window}`)).text());
      }
    rig.metering.isOfBefore = false;
    expect(JSON.parse(texts[0] ?? '')).toMatchObject({
      lines: [{ points: [{ at: 0, requests: 3, firstToken: null }] }],
    });
    expect(texts[1]).toBe(texts[0]);
    expect(texts[3]).toBe(texts[2]);
    expect((await user.get(`/api/reports/series?step=hour&${window}&inColumns=true`)).status).toBe(400);
  });

  it('is divided by account for administrators who ask for the fleet', async () => {
    const series = `/api/reports/series?${window}&step=hour&groupBy=account`;
    expect((await user.get(series)).status).toBe(400);
    expect((await administrator.get(`${series}&scope=fleet`)).status).toBe(200);
  });

  it.each([
    ['startAt=x&endAt=1&step=hour', 'startAt'],
    ['startAt=0&endAt=1&step=year', 'step'],
    [`${window}&step=hour&colour=red`, 'colour'],
  ])('that is asked for with %s is refused, naming the field', async (query, field) => {
    const response = await user.get(`/api/reports/series?${query}`);
    expect(response.status).toBe(400);
    expect(await response.text()).toContain(field);
  });

  it('is 503 while metering is away', async () => {
    rig.metering.isAway = true;
    const response = await user.get(`/api/reports/requests?${window}`);
    rig.metering.isAway = false;
    expect([response.status, response.headers.get('retry-after')]).toEqual([503, '2']);
  });
});

describe('the charge of a request', () => {
  it('is shown to its account, and to administrators who ask for the fleet', async () => {
    await (await rig.chat(rig.accounts.create({ accountId: 'account-1' }), question)).text();
    await eventually(() => rig.metering.events.some(({ accountId }) => accountId === 'account-1'));
    const id = rig.metering.events.find(({ accountId }) => accountId === 'account-1')?.id ?? '';
    const path = `/api/reports/requests/${id}/charge`;
    expect(await (await user.get(path)).json()).toMatchObject({ event: { id }, storedNanoUsd: null, lines: [] });
    expect((await administrator.get(path)).status).toBe(404);
    expect((await administrator.get(`${path}?scope=fleet`)).status).toBe(200);
    expect((await user.get(`${path}?scope=fleet`)).status).toBe(403);
    const nobodys = '/api/reports/requests/01980000-0000-7000-8000-000000000000/charge';
    for (const none of ['/api/reports/requests/x/charge', nobodys]) expect((await user.get(none)).status).toBe(404);
    // What is somebody else's reads like what does not exist.
    expect(await (await administrator.get(path)).text()).toBe(await (await administrator.get(nobodys)).text());
  });
});

describe('the log of requests', () => {
  it.each(['/api/reports/requests?', '/api/reports/export?what=requests&format=csv&'])(
    'is searched for words of one’s own alone at %s',
    async (path) => {
      expect((await user.get(`${path}${window}&said=gates`)).status).toBe(200);
      const viewer = await Browser.withSession(rig.url, rig.people.open('user', 'account-1', 'viewer').token);
      expect((await viewer.get(`${path}${window}&said=gates`)).status).toBe(403);
      expect((await viewer.get(`${path}${window}`)).status).toBe(200);
      const foreign = await administrator.get(`${path}${window}&said=gates&scope=fleet&accountId=account-1`);
      expect([foreign.status, await foreign.text()]).toEqual([400, expect.stringContaining('said')]);
    },
  );

  it('calls keys and accounts by their names', async () => {
    rig.metering.requests = [loggedRequest(), loggedRequest({ keyId: 'key-gone' })];
    const read = async () => (await user.get(`/api/reports/requests?${window}`)).json();
    expect(await read()).toMatchObject({
      data: [
        { keyName: 'Notes', accountName: 'Ada' },
        { keyName: null, accountName: 'Ada' },
      ],
    });
    rig.metering.requests = [];
  });
});

describe('the words of a failed attempt', () => {
  const attempt = { deployment: 'eu', provider: 'openai', status: 429, error: 'insufficient_quota', latencyMs: 5 };
  const words = { reason: 'OpenAI answered with status 429', detail: 'You exceeded your current quota.' };

  it.each(['/api/reports/requests', '/api/reports/export?what=requests&format=json&'])(
    'are for everybody at %s, except what is said of the operator’s account and what that may be charged for',
    async (path) => {
      rig.metering.requests = [
        loggedRequest({ attempts: [{ ...attempt, ...words, unbilled: { input: 4_321, output: 0 } }] }),
      ];
      const ask = async (who: Browser, scope: string) =>
        (await who.get(`${path}${path.includes('?') ? '' : '?'}${window}&scope=${scope}`)).text();
      const own = await ask(user, 'own');
      expect(own).toContain(words.reason);
      expect(own).not.toContain(words.detail);
      expect(own).not.toContain('4321');
      const told = await ask(administrator, 'fleet');
      expect(told).toContain(words.detail);
      expect(told).toContain('4321');
      rig.metering.requests = [];
    },
  );
});

describe('an export', () => {
  it('of requests holds every page, as CSV that no spreadsheet runs', async () => {
    rig.metering.requests = Array.from({ length: 450 }, (_, n) => loggedRequest({ requestId: `request-${n}` }));
    rig.metering.requests[0] = loggedRequest({
      requestedModel: '=HYPERLINK("http://evil.example")',
      costNanoUsd: null,
    });
    const attribution = { endUser: 'ann', session: 's-1', agent: 'codex', tags: ['team=search', 'prod'] };
    rig.metering.requests[2] = loggedRequest({ attribution });
    const response = await user.get(`/api/reports/export?what=requests&format=csv&${window}`);
    expect(response.headers.get('content-type')).toBe('text/csv; charset=utf-8');
    expect(response.headers.get('content-disposition')).toBe('attachment; filename="tollgate-requests.csv"');
    const lines = (await response.text()).trimEnd().split('\r\n');
    expect(lines).toHaveLength(451);
    expect(lines[0]).toMatch(
      /^request_id,started_at,ended_at,.*,account,key,end_user,session,agent,tags,price_unconfirmed$/,
    );
    expect(lines[1]).toContain(`"'=HYPERLINK(""http://evil.example"")"`);
    expect(lines[2]).toContain(
      'openai/gpt-5.4-mini,openai,openai-chat,false,completed,200,0,10,20,false,0.0000135,250,1000,false,Ada,Notes,,,,,false',
    );
    expect(lines[3]).toMatch(/,Notes,ann,s-1,codex,"team=search,prod",false$/);
  });

  it('of requests as JSON is a list, also an empty one', async () => {
    rig.metering.requests = Array.from({ length: 201 }, (_, n) => loggedRequest({ requestId: `request-${n}` }));
    const path = `/api/reports/export?what=requests&format=json&${window}`;
    expect(await (await user.get(path)).json()).toHaveLength(201);
    rig.metering.requests = [];
    expect(await (await user.get(path)).json()).toEqual([]);
  });

  it('marks a cost whose price is unconfirmed', async () => {
    const doubted = { ...model('openai/gpt-5.4-mini'), priceUnconfirmed: true };
    const { models } = rig.catalog.snapshot;
    rig.catalog.change({ models: models.map((each) => (each.id === doubted.id ? doubted : each)) });
    rig.metering.requests = [loggedRequest({})];
    const lineOf = async () =>
      (await (await user.get(`/api/reports/export?what=requests&format=csv&${window}`)).text()).split('\r\n')[1] ?? '';
    expect(await eventually(lineOf, (line) => line.endsWith(',true'))).toContain(',0.0000135,');
    const whole = await user.get(`/api/reports/export?what=requests&format=json&${window}`);
    expect(await whole.json()).toMatchObject([{ priceUnconfirmed: true }]);
    rig.catalog.change({ models });
    await eventually(lineOf, (line) => line.endsWith(',false'));
    rig.metering.requests = [];
  });

  it('of a series has a line for each point', async () => {
    const response = await user.get(`/api/reports/export?what=series&format=csv&step=hour&${window}`);
    const [header, line] = (await response.text()).split('\r\n');
    expect(header).toMatch(/^line,at,requests,/);
    expect(line).toBe('all,1970-01-01T00:00:00.000Z,3,1,0,30,60,0,0,0.0015,0,100,200,300,,,,0,,');
  });

  it('of who spent it has a line for each slice', async () => {
    const path = `/api/reports/export?what=slices&dimension=tag&${window}`;
    const response = await user.get(`${path}&format=csv`);
    expect(response.headers.get('content-disposition')).toBe('attachment; filename="tollgate-slices.csv"');
    expect(await response.text()).toBe(
      'name,requests,unpriced_requests,input_tokens,output_tokens,cost_usd\r\nann,3,0,30,60,0.0015\r\n',
    );
    expect(asked()).toMatchObject({ accountId: 'account-1', groupBy: 'tag' });
    expect(await (await user.get(`${path}&format=json`)).json()).toMatchObject({ slices: [{ name: 'ann' }] });
    expect((await administrator.get(`${path}&format=csv&scope=fleet`)).status).toBe(400);
  });

  it.each([
    'provider=openai',
    'state=failed',
    'status=500',
    'requestId=r-1',
    'id=00000000-0000-7000-8000-000000000000',
  ])('of who spent it refuses %s, by name', async (filter) => {
    const response = await user.get(`/api/reports/export?what=slices&format=csv&${window}&${filter}`);
    const [name = ''] = filter.split('=');
    expect([response.status, await response.text()]).toEqual([400, expect.stringContaining(`${name}: `)]);
  });

  it.each(['endUser=ann', 'tag=team', 'state=failed', 'status=500', 'surface=messages', 'atLeastMs=1'])(
    'of a series refuses %s, by name: it would be of all requests',
    async (filter) => {
      const response = await user.get(`/api/reports/export?what=series&format=csv&step=hour&${window}&${filter}`);
      const [name = ''] = filter.split('=');
      expect([response.status, await response.text()]).toEqual([400, expect.stringContaining(`${name}: `)]);
    },
  );

  it('that is refused is an error, not a file', async () => {
    rig.metering.isAway = true;
    const response = await user.get(`/api/reports/export?what=requests&format=csv&${window}`);
    rig.metering.isAway = false;
    expect(response.status).toBe(503);
    expect(response.headers.get('content-disposition')).toBeNull();
  });
});

describe('a reader who leaves in the middle of an export', () => {
  it('ends the reading of pages, and disturbs nobody', async () => {
    rig.metering.requests = Array.from({ length: 100_000 }, (_, n) => loggedRequest({ requestId: `request-${n}` }));
    const abort = new AbortController();
    const path = `/api/reports/export?what=requests&format=csv&${window}`;
    const response = await user.get(path, abort.signal);
    await response.body?.getReader().read();
    abort.abort();
    const pages = () => rig.metering.reportsAsked.length;
    await eventually(async () => {
      const before = pages();
      await sleep(300);
      return pages() === before;
    });
    expect(pages()).toBeLessThan(500);
    rig.metering.requests = [];
    expect((await user.get(path)).status).toBe(200);
  });
});
