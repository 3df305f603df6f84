import { ran } from '../ran.fixture';

describe('the deployments', () => {
  const facts = { provider: 'acme', timesOpened: 1, concurrencyLimit: null, inFlight: 3, waiting: 2 };
  const well = { ...facts, deployment: 'well', state: 'closed', retryInMs: 0 };
  const sick = {
    ...facts,
    deployment: 'sick',
    state: 'open',
    retryInMs: 4_200,
    callers: 1,
    why: '500',
    openForMs: 800,
  };

  it('are shown as each instance told last, with whom they are closed to and why', async () => {
    const reports = [
      { instance: 'one', deployments: [well] },
      { instance: 'one', deployments: [well, sick] },
      { instance: 'two', deployments: [{ ...sick, callers: null, why: 'silence' }] },
      { instance: 'three', deployments: [{ ...sick, state: 'half-open', retryInMs: 0, probes: 2 }] },
    ];
    const { asked, out } = await ran('deployments list', [reports]);
    expect(asked).toEqual([{ subject: 'inference.health', forMs: 5_500 }]);
    const words = out.split('\n').map((line) => line.trim().split(/  +/));
    expect(words.slice(-4)).toEqual([
      ['well', 'acme', 'one', 'in use', '3', '2'],
      ['sick', 'acme', 'one', 'left alone', '1 caller', '500', '1 s', '5 s', '3', '2'],
      ['sick', 'acme', 'two', 'left alone', 'everybody', 'silence', '1 s', '5 s', '3', '2'],
      ['sick', 'acme', 'three', 'on trial, 2 probes', '1 caller', '500', '1 s', '3', '2'],
    ]);
  });

  it('are told apart where they are busy now, and were when somebody last asked', async () => {
    const busy = { ...well, answersNobody: true, why: '429', openForMs: 6_000, lastBusyMs: 900 };
    const deployments = [busy, { ...busy, deployment: 'left', lastBusyMs: 240_000 }];
    const { out } = await ran('deployments list', [[{ instance: 'one', deployments }]]);
    expect(out).toMatch(/^well +acme +one +busy for all +429 +6 s/m);
    expect(out).toMatch(/^left +acme +one +busy for all when last asked, 240 s ago +429 +6 s/m);
  });

  it('are told with the keys that rest, and whether their account is empty, or a limit was reached', async () => {
    const rest = { provider: 'acme', key: 1, deployment: null, status: 429, restsForMs: 4_200 };
    const restingKeys = [rest, { ...rest, key: 2, deployment: 'well' }, { ...rest, key: 3, status: 401 }];
    const { out } = await ran('deployments list', [[{ instance: 'one', deployments: [well], restingKeys }]]);
    expect(out.split('\n').slice(-3)).toEqual([
      'Key 1 of acme is out of credit or quota (429) and rests everywhere for 5 s (one).',
      'Key 2 of acme reached a limit (429) and rests at well for 5 s (one).',
      'Key 3 of acme is refused (401) and rests everywhere for 5 s (one).',
    ]);
  });

  it('are told of when they were kept away from callers, why and by whom', async () => {
    const failed = { deployment: 'a@eu', provider: 'acme', kind: 'failing', since: 0, until: 60_000 };
    const incidents = [
      { ...failed, kind: 'closed', until: null, why: 'slow', by: 'ada@example.com', callers: null },
      { ...failed, why: '503', by: null, callers: 2 },
    ];
    const { asked, out } = await ran('deployments incidents --provider acme', [{ incidents, isWhole: false }]);
    expect(asked).toEqual([{ subject: 'catalog.incidents.list', provider: 'acme', limit: 200 }]);
    const lines = out.split('\n').map((line) => line.trim().split(/  +/));
    const since = '1970-01-01T00:00:00.000Z';
    expect(lines.slice(1)).toEqual([
      ['a@eu', 'acme', 'closed', since, 'now', 'everybody', 'ada@example.com: slow'],
      ['a@eu', 'acme', 'failing', since, '1970-01-01T00:01:00.000Z', '2 callers', '503'],
      [''],
      ['There are older ones: --all shows them.'],
    ]);
    const pages = [
      { incidents, isWhole: false, next: 'more' },
      { incidents: incidents.slice(1), isWhole: true, next: null },
    ];
    const all = await ran('deployments incidents --all --json', pages);
    expect(all.asked.at(1)).toMatchObject({ after: 'more' });
    expect(JSON.parse(all.out)).toEqual({ incidents: [...incidents, ...incidents.slice(1)], isWhole: true });
    const none = await ran('deployments incidents', [{ incidents: [], isWhole: true }]);
    expect(none.out).toBe('No deployment was kept away from callers in the last 90 days.');
  });

  it('are held by an operator, after the audit log says so', async () => {
    const held = { state: 'draining', reason: 'slow', by: 'cli:spec', since: 1, until: 1_800_000 };
    const { asked, out } = await ran('deployments drain a@eu --reason slow --for 30m', [{}, { held }]);
    const detail = { deployment: 'a@eu', reason: 'slow', forS: 1_800 };
    expect(asked).toEqual([
      { subject: 'accounts.administration.record-act', actor: 'cli:spec', action: 'deployment-drained', detail },
      { subject: 'catalog.deployments.hold', ...detail, state: 'draining', by: 'cli:spec' },
    ]);
    expect(out).toBe('a@eu is draining until 1970-01-01T00:30:00.000Z.');
    expect((await ran('deployments open a@eu', [{}, { held: null }])).out).toBe('a@eu is open.');
    const shown = await ran('deployments list', [[{ instance: 'one', deployments: [{ ...well, held }] }]]);
    expect(shown.out).toMatch(/well +acme +one +draining +everybody +cli:spec: slow .* until 1970-01-01T00:30/);
  });

  it('are none when no instance was heard', async () => {
    expect((await ran('deployments list', [[]])).out).toBe('No inference instance was heard.');
  });
});
