import { eventually } from '@tollgate/testing';
import { Events } from 'nats';
import type { NatsConnection } from 'nats';
import { pino } from 'pino';
import { Echo } from './echo';

type Heard = (error: null, message: { string(): string }) => void;

/**
 * Each number comes back as often as `script` says next; the connection is closed behind it. `refused`: NATS
 * says that it permits none.
 */
function watch(script: number[], refused = false) {
  let hear: Heard = () => undefined;
  let said = '';
  const seen = { doubled: [] as boolean[], reconnects: 0, numbers: 0, complaints: [] as string[] };
  const started: { echo: Echo | null } = { echo: null };
  const connection = {
    options: {},
    isClosed: () => seen.numbers > script.length,
    subscribe: (_subject: string, { callback }: { callback: Heard }) => (hear = callback),
    publish: (subject: string, number: string) => {
      if (started.echo) seen.doubled.push(started.echo.isDoubled);
      const times = script[seen.numbers++] ?? 0;
      for (let time = 0; time < times; time++) hear(null, { string: () => number });
      said = subject;
    },
    async *status() {
      await eventually(() => said !== '');
      if (refused) yield { type: Events.Error, data: '', permissionContext: { operation: 'publish', subject: said } };
    },
    reconnect: async () => void seen.reconnects++,
  };
  const logger = pino({ level: 'warn' }, { write: (line: string) => void seen.complaints.push(line) });
  started.echo = new Echo(connection as unknown as NatsConnection, logger, 1);
  return { seen, isOver: () => connection.isClosed() };
}

it('learns nothing from a number that does not come back', async () => {
  const { seen, isOver } = watch([2, 0, 0, 1, 0]);
  await eventually(isOver);
  expect(seen).toMatchObject({ doubled: [true, true, true, false, false], reconnects: 1 });
});

it('connects anew twice in a row at most, says once that it does not help, and is ready again', async () => {
  const { seen, isOver } = watch([2, 0, 2, 0, 2, 2, 2]);
  await eventually(isOver);
  expect(seen).toMatchObject({ doubled: [true, true, true, true, false, false, false], reconnects: 2 });
  expect(seen.complaints).toHaveLength(3);
});

it('begins anew when a number came once', async () => {
  const { seen, isOver } = watch([2, 2, 2, 1, 2, 1]);
  await eventually(isOver);
  expect(seen).toMatchObject({ doubled: [true, true, false, false, true, false], reconnects: 3 });
});

it('says nothing more where NATS does not permit it', async () => {
  const { seen } = watch(new Array<number>(1_000_000).fill(0), true);
  await eventually(() => seen.numbers > 0);
  let last = -1;
  // It is the same twice in a row.
  await eventually(() => last === (last = seen.numbers));
  expect(seen.doubled).not.toContain(true);
});
