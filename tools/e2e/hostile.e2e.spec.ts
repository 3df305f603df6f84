import { proveInput } from '../prove/input/prove-input';
import { proveNeighbours } from '../prove/neighbours/prove-neighbours';
import { promised } from '../prove/neighbours/verdict';
import { proveTenants, tenantsEnvironment } from '../prove/tenants/prove-tenants';
import { proveUrls } from '../prove/urls/prove-urls';
import { startTestStack } from './test-stack';
import type { TestStack } from './test-stack';

jest.setTimeout(600_000);

let test: TestStack;

beforeAll(
  async () =>
    (test = await startTestStack({ layout: 'split', environment: { LOG_LEVEL: 'warn', ...tenantsEnvironment } })),
);
afterAll(() => test.stop());

it('shows no tenant anything of another, nor that it exists (short form of npm run prove -- tenants)', async () => {
  const { requests, leaks } = await proveTenants(test.stack, false);
  expect(leaks).toEqual([]);
  expect(requests).toBeGreaterThan(2_000);
});

it('follows no address that stands in a request (short form of npm run prove -- urls)', async () => {
  const { requests, models, failures, connections } = await proveUrls(test.stack, { everyUrl: false });
  expect(connections).toBe(0);
  expect(failures).toEqual([]);
  expect(models).toBeGreaterThanOrEqual(5);
  expect(requests).toBeGreaterThan(400);
});

it('answers no bad input with a 5xx or in another form (short form of npm run prove -- input)', async () => {
  const plan = { requests: 2_000, lanes: 16, seed: 22, onProgress: () => undefined };
  const { faults, crashes, endpoints, byStatus } = await proveInput(test.stack, plan);
  // Always the same requests; npm run prove -- input draws others each time.
  expect({ faults, crashes }).toEqual({ faults: [], crashes: [] });
  expect(endpoints).toBeGreaterThan(40);
  expect(byStatus['200']).toBeGreaterThan(100);
});

/** Each of these once took the service, or a model, from everybody. */
const fallen = [
  '29 MiB of tiny arrays, by a limited key',
  '404: stale reasoning item',
  '404: unknown file',
  'provider: 429 with Retry-After',
  'provider: request too large (429)',
  'provider: 500',
  'long prompts, streamed',
];

it('lets nobody notice the trouble of one caller (short form of npm run prove -- neighbours)', async () => {
  const neighbours = await proveNeighbours(test.stack, {
    chosen: (attack) => fallen.includes(attack),
    rounds: 1,
    roundMs: 1_500,
    perSecond: 20,
    bounds: { ...promised, times: 'never' },
    onProgress: () => undefined,
  });
  expect(neighbours.flatMap(({ attack, problems }) => problems.map((problem) => `${attack}: ${problem}`))).toEqual([]);
  expect(neighbours).toHaveLength(fallen.length);
});
