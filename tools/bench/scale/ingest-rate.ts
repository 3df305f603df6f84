import { meteringOperations, noUsage, uuidv7 } from '@tollgate/contracts';
import type { UsageEvent } from '@tollgate/contracts';
import { UsagePublisher } from '@tollgate/messaging';
import type { ControlClient } from '@tollgate/messaging';
import type { NatsConnection } from 'nats';
import { setTimeout as delay } from 'node:timers/promises';
import { simulatedKey } from './history';
import type { History } from './history';

const perTurn = 64;

/**
 * Events per second from a publisher through JetStream into Postgres, as metering does it: stored, rated,
 * added up, committed.
 */
export async function ingestRate(
  connection: NatsConnection,
  client: ControlClient,
  history: History,
  count: number,
): Promise<number> {
  const publisher = new UsagePublisher(connection);
  const beganAt = performance.now();
  for (let number = 0; number < count; number++) {
    publisher.publish(simulatedEvent(history, number));
    if (number % perTurn !== 0) continue;
    while (!publisher.hasRoom) await delay(1);
    await new Promise((resolve) => setImmediate(resolve));
  }
  await publisher.flush(600_000);
  while ((await client.call(meteringOperations.status, {}, { timeoutMs: 10_000 })).pendingEvents > 0) await delay(20);
  const seconds = (performance.now() - beganAt) / 1_000;
  publisher.close();
  return count / seconds;
}

function simulatedEvent({ keys, models }: History, number: number): UsageEvent {
  const endedAt = Date.now();
  const model = models[number % models.length] ?? '';
  const keyId = simulatedKey((number * 7_919) % keys);
  return {
    id: uuidv7(endedAt - 2_000),
    requestId: uuidv7(endedAt - 2_000),
    keyId,
    accountId: keyId,
    requestedModel: model,
    model,
    surface: 'openai-chat',
    stream: true,
    state: 'completed',
    status: 200,
    estimated: false,
    usage: { ...noUsage, input: 100 + (number % 900), output: number % 700 },
    attempts: [{ deployment: model, provider: 'openai', status: 200, error: null, latencyMs: 2_000 }],
    startedAt: endedAt - 2_000,
    firstTokenAt: endedAt - 1_700,
    endedAt,
    lease: null,
    reportedBy: 'inference',
  };
}
