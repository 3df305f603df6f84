import { deploymentHealth } from '@tollgate/contracts/inference';
import type { DeploymentHealth } from '@tollgate/contracts/inference';
import { Registry } from 'prom-client';
import { watchDeployments } from './deployment-metrics';

const standing = (more: Partial<DeploymentHealth>) =>
  deploymentHealth.parse({
    ...{ deployment: 'd', provider: 'p', state: 'closed', timesOpened: 0, retryInMs: 0, concurrencyLimit: null },
    ...more,
  });
const hold = { reason: null, by: 'cli:ada', since: 1, until: null };
const of = '{provider="p",deployment="d"}';

async function told(one: DeploymentHealth): Promise<string[]> {
  const registry = new Registry();
  watchDeployments(registry, () => [one]);
  const lines = (await registry.metrics()).split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return lines.map((line) => line.replace('tollgate_inference_', '')).sort();
}

it('a deployment that is left alone tells since when, until when, why and for whom', async () => {
  const open = { state: 'open', timesOpened: 2, retryInMs: 4_200, openForMs: 800, why: '500', callers: 3 } as const;
  expect(await told(standing({ ...open, concurrencyLimit: 7, waiting: 1 }))).toEqual([
    'breaker_open_seconds{provider="p",deployment="d",why="500"} 0.8',
    `breaker_opened_total${of} 2`,
    `breaker_probes${of} 0`,
    `breaker_retry_seconds${of} 4.2`,
    `breaker_state${of} 2`,
    `kept_away${of} 3`,
    'provider_concurrency_limit{provider="p"} 7',
    `waiting${of} 1`,
  ]);
});

it('one on trial tells its probes, and one that an operator holds how', async () => {
  const trial = standing({ state: 'half-open', probes: 2, openForMs: 6_000, why: 'silence' });
  expect(await told(trial)).toEqual(expect.arrayContaining([`breaker_state${of} 1`, `breaker_probes${of} 2`]));
  const held = async (state: 'draining' | 'closed') =>
    (await told(standing({ held: { ...hold, state } }))).find((line) => line.startsWith('held'));
  expect([await held('draining'), await held('closed')]).toEqual([`held${of} 1`, `held${of} 2`]);
});

it('one that is well tells no more than that', async () =>
  expect(await told(standing({}))).toEqual([
    `breaker_opened_total${of} 0`,
    `breaker_probes${of} 0`,
    `breaker_state${of} 0`,
    `waiting${of} 0`,
  ]));
