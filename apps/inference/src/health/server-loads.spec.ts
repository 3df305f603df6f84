import { aProvider } from '../testing/fixtures';
import { providerEndpoint } from '../upstream/provider-endpoint';
import type { OwnLoad } from './attempt-gate';
import { ServerLoads } from './server-loads';

const page = `# HELP vllm:num_requests_running Number of requests
# TYPE vllm:num_requests_running gauge
vllm:num_requests_running{engine="0",model_name="a b"} 3.0
vllm:num_requests_running{engine="1",model_name="a"} 1.0 1395066363000
vllm:num_requests_waiting{engine="0"} 2e0
vllm:num_requests_waiting_by_reason{reason="x"} 50.0
`;

let nowMs: number;
let answer: () => Promise<{ status: number; text: string }>;
let asked: string[];
let ours: OwnLoad;
let loads: ServerLoads;

function placeAt(
  id: string,
  loadMetrics = ['vllm:num_requests_running', 'vllm:num_requests_waiting'],
  loadSlots = false,
) {
  const provider = aProvider({ baseUrl: `http://${id}:8000/v1`, loadMetrics, loadSlots, queues: true });
  const endpoint = providerEndpoint(provider, provider.baseUrl, { kind: 'none' });
  return { deployment: { id, provider: 'acme', upstreamModel: 'one' }, endpoint };
}

const there = (inFlight: number, waiting = 0): OwnLoad => ({ inFlight, waiting });
const loadAt = (place = placeAt('left')) => loads.loadOf(place, () => ours);

beforeEach(() => {
  jest.useFakeTimers();
  [nowMs, asked, ours] = [0, [], there(0)];
  answer = () => Promise.resolve({ status: 200, text: page });
  loads = new ServerLoads(
    ({ origin, basePath }, path) => {
      asked.push(origin + basePath + path);
      return answer();
    },
    () => nowMs,
  );
});
afterEach(() => jest.useRealTimers());

it('is what we have there, with what others have by the gauges that the server tells', async () => {
  ours = there(2);
  expect(loadAt()).toBe(2);
  await loads.look();
  expect(asked).toEqual(['http://left:8000/metrics']);
  // Two of the six are ours.
  expect(loadAt()).toBe(6);
  ours = there(5);
  expect(loadAt()).toBe(9);
});

it('is never less than what we have there', async () => {
  loadAt();
  ours = there(9);
  await loads.look();
  expect(loadAt()).toBe(9);
});

it.each([
  ['does not tell it', () => Promise.resolve({ status: 501, text: page })],
  ['tells other things', () => Promise.resolve({ status: 200, text: 'up 1\n' })],
  ['tells no number', () => Promise.resolve({ status: 200, text: 'vllm:num_requests_running 1e999\n' })],
])('is what we have where a server %s, and that one is asked a minute later', async (_, said) => {
  [answer, ours] = [said, there(1)];
  loadAt();
  await loads.look();
  expect(loadAt()).toBe(1);
  for (nowMs = 1_000; nowMs < 60_000; nowMs += 1_000) await loads.look();
  expect(asked).toHaveLength(1);
  await loads.look();
  expect(asked).toHaveLength(2);
});

describe('a server that lists its places', () => {
  const slot = (id: number, isBusy: boolean) => ({ id, n_ctx: 4096, is_processing: isBusy });
  const list = JSON.stringify([slot(0, true), slot(1, false), slot(2, true), slot(3, true)]);
  const tells = (metrics: { status: number; text: string }, places: { status: number; text: string }) => {
    answer = () => Promise.resolve(asked.at(-1)?.endsWith('/slots') ? places : metrics);
  };
  // As llama.cpp answers that was started without --metrics.
  const off = {
    status: 501,
    text: '{"error":{"code":501,"message":"This server does not support metrics endpoint."}}',
  };
  const home = () => placeAt('home', ['llamacpp:requests_processing'], true);

  it('is as busy as they are, where it tells no gauges', async () => {
    tells(off, { status: 200, text: list });
    ours = there(1);
    loadAt(home());
    await loads.look();
    expect(asked).toEqual(['http://home:8000/metrics', 'http://home:8000/slots']);
    expect(loadAt(home())).toBe(3);
    nowMs = 1_000;
    await loads.look();
    expect(asked).toHaveLength(4);
  });

  it('is as busy as its gauges say, which know who waits there, too', async () => {
    tells({ status: 200, text: 'llamacpp:requests_processing 9\n' }, { status: 200, text: list });
    loadAt(home());
    await loads.look();
    expect(loadAt(home())).toBe(9);
    expect(asked).toEqual(['http://home:8000/metrics']);
  });

  it.each([
    [501, '{"error":{"code":501,"message":"This server does not support slots endpoint."}}'],
    [200, '[]'],
    [200, '[{"id":0}]'],
    [200, 'no'],
  ])('is as busy as we make it where it lists none: %i %s', async (status, text) => {
    tells(off, { status, text });
    ours = there(2);
    loadAt(home());
    await loads.look();
    expect(loadAt(home())).toBe(2);
    nowMs = 59_999;
    await loads.look();
    expect(asked).toHaveLength(2);
  });
});

it('counts on while a busy server is late, and that one is asked again five seconds later', async () => {
  loadAt();
  await loads.look();
  answer = () => Promise.reject(new Error('no answer in time'));
  for (nowMs = 1_000; nowMs < 5_000; nowMs += 1_000) await loads.look();
  expect(asked).toHaveLength(2);
  nowMs = 4_999;
  expect(loadAt()).toBe(6);
  nowMs = 6_000;
  await loads.look();
  expect(asked).toHaveLength(3);
});

it('does not take for ours what waits here, nor what began or ended while the server was asked', async () => {
  ours = there(4, 10);
  loadAt();
  await loads.look();
  // Two of the six that it has are of others; ten more wait here.
  expect(loadAt()).toBe(16);
  let told: (page: { status: number; text: string }) => void = () => undefined;
  answer = () => new Promise((resolve) => (told = resolve));
  ours = there(1);
  nowMs = 1_000;
  const looked = loads.look();
  ours = there(5);
  told({ status: 200, text: page });
  await looked;
  expect(loadAt()).toBe(10);
});

it('counts for five seconds', async () => {
  loadAt();
  await loads.look();
  nowMs = 4_999;
  expect(loadAt()).toBe(6);
  nowMs = 5_000;
  expect(loadAt()).toBe(0);
});

it('is asked once at a time, and no longer than a minute after its model was in use', async () => {
  answer = () => new Promise(() => undefined);
  loadAt();
  void loads.look();
  void loads.look();
  expect(asked).toHaveLength(1);
  loadAt(placeAt('right'));
  expect(jest.getTimerCount()).toBe(1);
  nowMs = 60_001;
  await loads.look();
  expect([asked.length, jest.getTimerCount()]).toEqual([1, 0]);
});

it('is not asked of a server that tells nothing', async () => {
  ours = there(3);
  expect(loadAt(placeAt('plain', []))).toBe(3);
  await loads.look();
  expect([asked, jest.getTimerCount()]).toEqual([[], 0]);
});
