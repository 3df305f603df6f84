import { aProvider } from '../testing/fixtures';
import { providerEndpoint } from '../upstream/provider-endpoint';
import { AttemptGate, type HealthPlace } from './attempt-gate';
import type { AttemptPass } from './attempt-pass';

const busy = { kind: 'failed', status: 503, retryAfterS: null } as const;
let now: number;
let gate: AttemptGate;
let place: HealthPlace;

beforeEach(() => {
  now = 1_000;
  gate = new AttemptGate(2, 100, () => now);
  const provider = aProvider({ queues: true });
  const endpoint = providerEndpoint(provider, provider.baseUrl, { kind: 'none' });
  place = { deployment: { id: 'a', provider: provider.id, upstreamModel: 'a' }, endpoint };
});

/** @throws Error when the attempt is not let through. */
function pass(stream = false): AttemptPass {
  const caller = { key: 'key-a', account: 'account-a' };
  const admitted = gate.admit(place, { caller, leftMs: 1_000_000, stream, bytes: 1_000, alone: false });
  if ('kind' in admitted) throw new Error(admitted.kind);
  return admitted;
}

function saysBusy(times: number): void {
  for (let count = 0; count < times; count += 1) pass().end(busy);
}

const answersNobody = () => gate.report()[0]?.answersNobody;

describe('the gate of attempts, of a server that lets requests wait and has no room', () => {
  it('takes it for one that answers while it still streams an answer', () => {
    const stream = pass(true);
    stream.answering();
    saysBusy(20);
    expect(gate.report()).toMatchObject([{ answersNobody: false, why: null, openForMs: null }]);
    stream.end({ kind: 'unknown' });
    expect(gate.report()).toMatchObject([{ answersNobody: true }]);
  });

  it('takes it for one that answers while it works on a request that it took in, for ten minutes at most', () => {
    const long = pass();
    for (let second = 0; second < 300; second += 1) {
      now += 1_000;
      saysBusy(1);
    }
    expect(gate.report()).toMatchObject([{ answersNobody: false, why: null, openForMs: null }]);
    // Its caller left: the next one has its place.
    long.end({ kind: 'unknown' });
    saysBusy(20);
    expect(gate.report()).toMatchObject([{ answersNobody: true, openForMs: 0 }]);
    // One that hangs takes requests in, too.
    const hanging = pass();
    for (let second = 0; second < 600; second += 1) {
      now += 1_000;
      saysBusy(1);
    }
    expect(answersNobody()).toBe(true);
    hanging.end({ kind: 'answered' });
    expect(answersNobody()).toBe(false);
  });

  it('says no more of a server that was busy once nobody has asked it for ten minutes', () => {
    saysBusy(5);
    expect(gate.report()).toMatchObject([{ answersNobody: true }]);
    now += 600_000;
    expect(gate.report()).toMatchObject([{ answersNobody: false, why: null, openForMs: null }]);
  });
});
