import type { DeploymentHealth } from '@tollgate/contracts/inference';
import type { GenerationServer } from '@tollgate/messaging';
import type { PeriodicWork } from '@tollgate/service';
import type { NatsConnection } from 'nats';
import { pino } from 'pino';
import type { AttemptGate } from './attempt-gate';
import { HealthReporter } from './health-reporter';
import type { KeyRests } from './key-rests';

it('tells of changes at once, and of time that passes with each fifth look alone', () => {
  let looks = 0;
  let callers = 1;
  let look: () => unknown = () => undefined;
  const publish = jest.fn();
  /** Each member that grows, or falls, by itself. */
  const report = () => {
    const passing = {
      lastBusyMs: looks,
      retryInMs: looks,
      openForMs: looks,
      probes: looks,
      inFlight: looks,
      waiting: looks,
    };
    return [
      { deployment: 'one', provider: 'acme', callers, timesOpened: 0, ...passing } as unknown as DeploymentHealth,
    ];
  };
  new HealthReporter(
    { publish, isClosed: () => false } as unknown as NatsConnection,
    { instanceId: 'here' } as GenerationServer,
    { report } as unknown as AttemptGate,
    { report: () => [{ provider: 'acme', restsForMs: looks }] } as unknown as KeyRests,
    pino({ level: 'silent' }),
    { add: ({ run }: { run: () => unknown }) => (look = run) } as unknown as PeriodicWork,
  );
  const told = () => {
    publish.mockClear();
    looks += 1;
    look();
    return publish.mock.calls.length;
  };
  expect([told(), told(), told(), told(), told(), told()]).toEqual([1, 0, 0, 0, 1, 0]);
  callers = 2;
  expect([told(), told()]).toEqual([1, 0]);
});
