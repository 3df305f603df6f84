import type { NatsConnection } from 'nats';
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';

/**
 * Asks the server for a sign of life every `everyMs`, and tells true each time that nothing at all came from
 * it for `silenceMs`, and false when it is heard again (or the connection broke): a server or network that
 * hangs keeps its connections open. While it `isWanted` not, nothing is asked. Ends with the connection.
 */
export async function* silence(
  connection: Pick<NatsConnection, 'isClosed' | 'rtt' | 'stats'>,
  everyMs: number,
  silenceMs: number,
  isWanted: () => boolean = () => true,
): AsyncGenerator<boolean> {
  while (!connection.isClosed()) {
    await sleep(everyMs, undefined, { ref: false });
    if (!isWanted()) continue;
    // It also ends when the connection breaks, or is broken.
    const answered = connection.rtt().then(
      () => true,
      () => true,
    );
    let heard = connection.stats().inMsgs;
    while (!(await Promise.race([answered, lateness(silenceMs)]))) {
      // What else comes shows that it lives: its answer only waits behind that.
      const { inMsgs } = connection.stats();
      yield inMsgs === heard;
      heard = inMsgs;
    }
    yield false;
  }
}

/**
 * Resolves with false when an answer is late. An answer that arrived while this process was busy is read
 * before that.
 */
async function lateness(silenceMs: number): Promise<false> {
  await sleep(silenceMs, undefined, { ref: false });
  await nextTurn();
  await nextTurn();
  return false;
}
