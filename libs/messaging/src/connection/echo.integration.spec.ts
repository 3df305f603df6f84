import { eventually, startNatsServer } from '@tollgate/testing';
import type { NatsServer } from '@tollgate/testing';
import { Events } from 'nats';
import type { NatsConnection } from 'nats';
import { pino } from 'pino';
import { connectToNats } from './connect-to-nats';
import { Echo } from './echo';

const logger = pino({ level: 'silent' });

describe('a process to which everything comes twice', () => {
  let nats: NatsServer;
  let connection: NatsConnection;
  let second: NatsConnection;
  beforeEach(async () => {
    nats = await startNatsServer();
    connection = await connectToNats({ url: nats.url, name: 'doubled', logger });
    second = await connectToNats({ url: nats.url, name: 'second', logger });
  });
  afterEach(async () => {
    await connection.close();
    await second.close();
    await nats.stop();
  });

  it('knows, connects anew, and is well when everything comes once', async () => {
    // Says again what is said, once: as a second connection with the same subscriptions would.
    const repeated = new Set<string>();
    const parrot = second.subscribe('_INBOX.>', {
      callback: (_error, message) => {
        if (repeated.has(message.string())) return;
        repeated.add(message.string());
        second.publish(message.subject, message.data);
      },
    });
    await second.flush();
    let reconnects = 0;
    const count = async () => {
      for await (const { type } of connection.status()) if (type === Events.Reconnect) reconnects++;
    };
    void count();
    const echo = new Echo(connection, logger, 100);
    await eventually(() => echo.isDoubled && reconnects > 0);
    parrot.unsubscribe();
    await eventually(() => !echo.isDoubled);
  });
});
