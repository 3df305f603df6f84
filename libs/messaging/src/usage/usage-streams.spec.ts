import { usageStream } from '@tollgate/contracts';
import { nanos } from 'nats';
import type { NatsConnection } from 'nats';
import { pino } from 'pino';
import { ackWaitMs, ensureUsageStreams } from './usage-streams';

it('changes a consumer that an older release made, instead of being refused for ever', async () => {
  const made: unknown[][] = [];
  const manager = {
    streams: {
      add: () => Promise.resolve(),
      info: () => Promise.resolve({ config: { num_replicas: 1 } }),
    },
    consumers: { add: (...asked: unknown[]) => Promise.resolve(made.push(asked)) },
  };
  const connection = { info: undefined, jetstreamManager: () => Promise.resolve(manager) };
  await ensureUsageStreams(connection as unknown as NatsConnection, pino({ level: 'silent' }));
  const config: unknown = expect.objectContaining({
    durable_name: usageStream.consumer,
    ack_wait: nanos(ackWaitMs),
  });
  expect(made).toEqual([[usageStream.name, config, '']]);
});
