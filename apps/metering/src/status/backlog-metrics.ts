import type { Registry } from 'prom-client';
import { Gauge } from 'prom-client';
import type { StreamState } from '@tollgate/messaging';
import type { UsageBacklog } from './usage-backlog';

/** One answer of JetStream serves all figures of a scrape. */
const freshForMs = 500;

/**
 * Shows how much usage waits in JetStream, asked at each scrape. While it does not answer there are no
 * values: an old one would look like good news. All instances see the same streams, so take the maximum of
 * them, not the sum.
 */
export function showBacklog(registry: Registry, backlog: Pick<UsageBacklog, 'read'>): void {
  let askedAtMs = -Infinity;
  let answer: ReturnType<UsageBacklog['read']> | undefined;
  const ask = (): ReturnType<UsageBacklog['read']> => {
    const nowMs = performance.now();
    if (answer && nowMs - askedAtMs <= freshForMs) return answer;
    askedAtMs = nowMs;
    return (answer = backlog.read());
  };
  const show = (name: string, help: string, figure: (state: StreamState) => number): void => {
    const gauge: Gauge = new Gauge({
      name,
      help,
      registers: [registry],
      collect: async () => {
        const told = await ask().catch(() => null);
        if (told) gauge.set(figure(told));
        else gauge.remove();
      },
    });
  };
  show(
    'tollgate_metering_pending_messages',
    'Messages in JetStream that metering did not acknowledge yet; each holds one or more usage events.',
    ({ messages }) => messages,
  );
  show(
    'tollgate_metering_dead_letters',
    'Messages with usage that could not be stored, waiting for an operator.',
    ({ deadLetters }) => deadLetters,
  );
  show(
    'tollgate_metering_stream_copies',
    'Copies that JetStream has now of the stream that has fewest: up to date, on servers that run.',
    ({ copies }) => copies.kept,
  );
  show(
    'tollgate_metering_stream_copies_wanted',
    'Copies that it should have: NATS_REPLICAS, or what the size of its cluster allows.',
    ({ copies }) => copies.wanted,
  );
}
