import { ControlError, noUsage, uuidv7 } from '@tollgate/contracts';
import type { UsageEvent } from '@tollgate/contracts';
import { meteringOperations } from '@tollgate/contracts/metering';
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
  const beganAt = performance.now();
  await ingestEvents(connection, client, simulatedEvents(history, count));
  const seconds = (performance.now() - beganAt) / 1_000;
  return count / seconds;
}

/** Publishes events in their order, and waits until metering has stored them. */
export async function ingestEvents(
  connection: NatsConnection,
  client: ControlClient,
  events: Iterable<UsageEvent>,
): Promise<void> {
  const publisher = new UsagePublisher(connection);
  let turn = 0;
  for (const event of events) {
    publisher.publish(event);
    if (turn++ % perTurn !== 0) continue;
    while (!publisher.hasRoom) await delay(1);
    await new Promise((resolve) => setImmediate(resolve));
  }
  await publisher.flush(600_000);
  while (!(await isAllStored(client))) await delay(20);
  publisher.close();
}

/** A busy JetStream may not say how much usage is waiting: then it is asked again. */
async function isAllStored(client: ControlClient): Promise<boolean> {
  try {
    const { pendingEvents } = await client.call(meteringOperations.status, {}, { timeoutMs: 10_000 });
    return pendingEvents === 0;
  } catch (error) {
    if (error instanceof ControlError && error.code === 'unavailable') return false;
    throw error;
  }
}

function* simulatedEvents(history: History, count: number): Generator<UsageEvent> {
  for (let number = 0; number < count; number++) yield simulatedEvent(history, number);
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
