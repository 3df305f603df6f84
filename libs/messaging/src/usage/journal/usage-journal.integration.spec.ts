import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import { usageStream } from '@tollgate/contracts';
import type { UsageEvent } from '@tollgate/contracts';
import { eventually, patience, startNatsServer } from '@tollgate/testing';
import type { NatsServer } from '@tollgate/testing';
import type { NatsConnection } from 'nats';
import { pino } from 'pino';
import { connectToNats } from '../../connection/connect-to-nats';
import { NatsGenerationClient } from '../../generation/client/nats-generation-client';
import { aRequest, anEvent, RecordingListener } from '../../testing/generation-fixtures';
import { InstanceChild } from '../../testing/instance-child';
import { readUsageMessage } from '../usage-message';
import { UsagePublisher } from '../usage-publisher';
import { ensureUsageStreams } from '../usage-streams';
import { unfinishedEvents, UsageJournal } from './usage-journal';
import { OrphanedUsage } from './orphaned-usage';

const logger = pino({ level: 'silent' });
const line = (id: string) => JSON.stringify(anEvent(id));

let folder: string;
beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'journal-'))));
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const files = () => readdirSync(folder).map((name) => join(folder, name));
const heldIds = () => files().flatMap((path) => unfinishedEvents(readFileSync(path, 'utf8')).map(({ id }) => id));

describe('a journal', () => {
  it('holds what is noted and not forgotten at the end of each turn, and is gone when it closes empty', async () => {
    const journal = new UsageJournal(folder, { logger });
    journal.note('a', line('a'));
    journal.note('b', line('b'));
    await nextTurn();
    expect(heldIds()).toEqual(['a', 'b']);
    journal.forget('a');
    journal.forget('never noted');
    await nextTurn();
    expect(heldIds()).toEqual(['b']);
    expect(journal.size).toBe(1);
    journal.forget('b');
    journal.close();
    expect(files()).toEqual([]);
  });

  it('says that something is stored with the next note, or with its next sign of life', async () => {
    const journal = new UsageJournal(folder, { logger, touchEveryMs: 20 });
    journal.note('a', line('a'));
    journal.note('b', line('b'));
    journal.flush();
    journal.stored('a');
    expect(journal.size).toBe(1);
    journal.note('c', line('c'));
    await nextTurn();
    expect(heldIds()).toEqual(['b', 'c']);
    journal.stored('b');
    await eventually(() => heldIds().join() === 'c');
    journal.stored('c');
    journal.close();
    expect(files()).toEqual([]);
  });

  it('stays small however much passes through it, and keeps what is not over', async () => {
    const journal = new UsageJournal(folder, { logger, maxBytes: 20_000 });
    journal.note('stays', line('stays'));
    for (let turn = 0; turn < 200; turn++) {
      for (let i = 0; i < 5; i++) journal.note(`${turn}-${i}`, line(`${turn}-${i}`));
      for (let i = 0; i < 5; i++) journal.forget(`${turn}-${i}`);
      await nextTurn();
      expect(readFileSync(files()[0] ?? '').length).toBeLessThan(25_000);
    }
    expect(heldIds()).toEqual(['stays']);
    journal.close();
  });

  it('writes all that it holds to a file of its own as soon as it wakes, when another took the former one meanwhile', async () => {
    const journal = new UsageJournal(folder, { logger, touchEveryMs: 1 });
    journal.note('a', line('a'));
    await nextTurn();
    const [path = ''] = files();
    renameSync(path, join(folder, 'taken'));
    const wakesAt = Date.now() + 20;
    while (Date.now() < wakesAt);
    journal.note('b', line('b'));
    journal.flush();
    expect(unfinishedEvents(readFileSync(path, 'utf8')).map(({ id }) => id)).toEqual(['a', 'b']);
    rmSync(join(folder, 'taken'));
    for (const id of ['a', 'b']) journal.forget(id);
    journal.close();
    journal.note('c', line('c'));
    await nextTurn();
    expect(files()).toEqual([]);
  });

  it('goes on without a disk, and writes all of it when there is one again', async () => {
    const journal = new UsageJournal(folder, { logger, touchEveryMs: 30 });
    rmSync(folder, { recursive: true });
    journal.note('a', line('a'));
    await sleep(50);
    writeFileSync(folder, 'in the way');
    journal.note('b', line('b'));
    await sleep(80);
    rmSync(folder);
    expect(journal.size).toBe(2);
    mkdirSync(folder);
    await eventually(() => heldIds().join() === 'a,b');
    journal.close();
  });
});

describe('usage of processes that died', () => {
  let nats: NatsServer;
  let connection: NatsConnection;
  let stored: UsageEvent[];

  beforeEach(async () => {
    nats = await startNatsServer();
    connection = await connectToNats({ url: nats.url, name: 'test', logger });
    await ensureUsageStreams(connection, logger);
    stored = [];
    // JetStream says each message once that it has stored.
    connection.subscribe(usageStream.keptSubject, {
      callback: (_error, { data }) => stored.push(...readUsageMessage(data).events),
    });
    await connection.flush();
  });
  afterEach(async () => {
    await connection.close();
    await nats.stop();
  });

  /** JetStream acknowledges an event before it hands it on. */
  const delivered = () => eventually(() => stored.length > 0);

  /** One that takes a journal which did not change for so many looks; the test alone has it look. */
  function anHeir(looks: number) {
    const lookEveryMs = 3_600_000;
    const journal = new UsageJournal(folder, { logger, touchEveryMs: lookEveryMs });
    const publisher = new UsagePublisher(connection, { journal, logger });
    const orphans = new OrphanedUsage(journal, publisher, { logger, orphanAfterMs: looks * lookEveryMs, lookEveryMs });
    const leave = async () => {
      await orphans.stop();
      expect(await publisher.flush(5_000 * patience)).toBe(true);
      publisher.close();
      journal.close();
    };
    return { orphans, leave };
  }

  it('is published by one of the others, once the journal is old, and leaves no file behind', async () => {
    const path = join(folder, 'dead.usage');
    writeFileSync(path, `${line('a')}\n${line('b')}\n-a\n${line('c').slice(0, 20)}`);
    const heirs = [anHeir(2), anHeir(2), anHeir(2)];
    const living = files().filter((file) => file !== path);
    let signs = 0;
    const look = () => {
      const sign = new Date(Date.now() + ++signs * 1_000);
      for (const file of living) utimesSync(file, sign, sign);
      return Promise.all(heirs.map(({ orphans }) => orphans.look()));
    };
    await look();
    await look();
    expect(existsSync(path)).toBe(true);
    await look();
    expect(heirs.reduce((sum, { orphans }) => sum + orphans.published, 0)).toBe(1);
    expect(files()).toEqual(expect.arrayContaining(living));
    await Promise.all(heirs.map(({ leave }) => leave()));
    await delivered();
    expect(stored).toEqual([anEvent('b')]);
    expect(files()).toEqual([]);
  });

  it('is left to a process that lives, whatever its clock says, until that shows no life', async () => {
    const path = join(folder, 'living.usage');
    writeFileSync(path, `${line('a')}\n`);
    const { orphans, leave } = anHeir(1);
    const anHourAgo = Date.now() - 3_600_000;
    for (const sign of [1, 2, 3]) {
      utimesSync(path, new Date(anHourAgo + sign * 5_000), new Date(anHourAgo + sign * 5_000));
      await orphans.look();
    }
    expect(orphans.published).toBe(0);
    expect(existsSync(path)).toBe(true);
    await orphans.look();
    expect(orphans.published).toBe(1);
    await leave();
  });

  it('is never that of the process that looks, also where its disk takes no sign of life', async () => {
    const journal = new UsageJournal(folder, { logger, touchEveryMs: 3_600_000 });
    journal.note('a', line('a'));
    await nextTurn();
    const publisher = new UsagePublisher(connection, { logger });
    const orphans = new OrphanedUsage(journal, publisher, { logger, orphanAfterMs: 10, lookEveryMs: 3_600_000 });
    for (let looks = 0; looks < 3; looks++) await orphans.look();
    expect(orphans.published).toBe(0);
    expect(heldIds()).toEqual(['a']);
    await orphans.stop();
    publisher.close();
    journal.forget('a');
    journal.close();
  });

  it('is told of a request that was under way when its instance was killed and its edge was gone', async () => {
    const instance = await InstanceChild.start(nats.url, { journal: folder });
    const client = new NatsGenerationClient(connection, { logger });
    const request = aRequest({ delay: '60000' });
    client.open(request, Buffer.from('{}'), new RecordingListener());
    await instance.report('started', request.requestId);
    await eventually(() => heldIds().includes(request.eventId));
    await instance.stop();
    client.close();
    const { orphans, leave } = anHeir(10);
    while (orphans.published === 0) {
      await sleep(100);
      await orphans.look();
    }
    await leave();
    await delivered();
    expect(stored).toHaveLength(1);
    expect(stored[0]).toMatchObject({
      id: request.eventId,
      state: 'failed',
      estimated: true,
      attempts: [{ error: 'instance_lost' }],
    });
    expect(files()).toEqual([]);
  });
});
