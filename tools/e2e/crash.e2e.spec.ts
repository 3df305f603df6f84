import { crashReport } from '../prove/crash-report';
import { proveCrash } from '../prove/prove-crash';
import { startTestStack } from './test-stack';
import type { TestStack } from './test-stack';

let test: TestStack;

beforeAll(async () => (test = await startTestStack()));
afterAll(() => test.stop());

it('loses no stream silently and no token of the bill when every part is killed with -9', async () => {
  const proof = await proveCrash(test.stack, { requests: 800, perSecond: 40, onProgress: () => undefined });
  if (!proof.holds) throw new Error(crashReport(proof));
  expect(proof.drills.map(({ victim }) => victim)).toEqual(['metering', 'inference', 'nats', 'postgres']);
  expect(proof.streams.complete).toBeGreaterThan(100);
}, 300_000);
