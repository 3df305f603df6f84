import { catalogOperations } from '@tollgate/contracts/catalog';
import { meteringOperations } from '@tollgate/contracts/metering';
import { connectToNats, ControlClient } from '@tollgate/messaging';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { Client } from 'pg';
import { buildServices } from '../../stack/build';
import { startStack } from '../../stack/stack';
import type { Stack } from '../../stack/stack';
import { makePartitions, simulatedKey } from './history';
import type { History } from './history';
import { ingestRate } from './ingest-rate';
import { KeptHistory } from './kept-history';
import { reportLatency } from './report-latency';
import { scaleReport } from './scale-report';
import { prepareSimulation } from './simulated-events';
import { sizes } from './sizes';
import { benchSlices } from './slices/run';

const chunk = 1_000_000;
const modelCount = 4;
/** Metering gives each of a recount's four statements ten minutes. */
const recountMs = 2_400_000;

/**
 * `npm run bench:scale`: ingest, reports and disk as the ledger grows to a hundred million events (`--
 * --events 5000000` for a smaller one). With `--data <folder>` the database stays: a run with the same folder
 * goes on where the last one ended, or, when all events are there, only measures. An event needs some 900
 * bytes of disk with its share of the sums when there are a hundred million, 1,550 when there are two
 * million, each nearly alone in its hour; beside 2 GB. With `--slices` the reports that say who spent it
 * (`slices/run.ts`), of which `--days`, `--accounts`, `--sample` and `--only` (a pattern of questions) are:
 * `--events 7070000 --keys 212 --accounts 1` is the largest account of a hundred million events alone.
 * `--busy 400000`: the days of which rows by hour are read, whatever blocks have, are those of a hundred
 * million events, whatever `--events` says: so many of a weekday.
 */
async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      events: { type: 'string', default: '100000000' },
      keys: { type: 'string' },
      ingest: { type: 'string', default: '100000' },
      rounds: { type: 'string', default: '50' },
      data: { type: 'string' },
      slices: { type: 'boolean', default: false },
      days: { type: 'string', default: '396' },
      sample: { type: 'string', default: '200000' },
      accounts: { type: 'string', default: '200' },
      busy: { type: 'string', default: '0' },
      only: { type: 'string', default: '' },
    },
  });
  if (values.slices) {
    await buildServices();
    const [keys, accounts] = [Number(values.keys ?? 3_000), Number(values.accounts)];
    const [events, busyEvents] = [Number(values.events), Number(values.busy)];
    const asked = { events, days: Number(values.days), keys, accounts, busyEvents };
    const sample = { sample: Number(values.sample), rounds: Number(values.rounds) };
    const only = new RegExp(values.only);
    return benchSlices({ ...asked, ...sample, only, dataFolder: values.data ?? null });
  }
  const dataFolder = values.data ?? (await mkdtemp(join(tmpdir(), 'tollgate-scale-')));
  await buildServices();
  const stack = await startStack({ dataFolder, environment: { LOG_LEVEL: 'warn' } });
  const ended = (): void => void stack.stop().finally(() => process.exit(130));
  process.once('SIGINT', ended).once('SIGTERM', ended);
  try {
    const history: History = {
      keys: Number(values.keys ?? 500),
      models: await pricedModels(stack),
      // Reports look back from now; what is ingested for the measurement comes after the simulated past.
      untilMs: Date.now() - 600_000,
      lengthMs: 365 * 86_400_000,
      events: Number(values.events),
    };
    await grow(stack, history, { ingest: Number(values.ingest), rounds: Number(values.rounds) });
  } finally {
    await stack.stop();
    if (values.data === undefined) await rm(dataFolder, { recursive: true, force: true });
  }
}

async function grow(stack: Stack, asked: History, sample: { ingest: number; rounds: number }): Promise<void> {
  const database = new Client({ connectionString: stack.databaseUrl });
  await database.connect();
  const connection = await connectToNats({ url: stack.natsUrl, name: 'scale' });
  const usage = await connectToNats({ url: stack.natsUrlOf('inference'), name: 'scale-usage' });
  const client = new ControlClient(connection);
  try {
    const kept = await KeptHistory.open(database, asked);
    const { history } = kept;
    const measure = async (): Promise<void> => {
      await database.query('VACUUM (ANALYZE) usage_event, usage_minute, usage_hour');
      const bytes = await sizes(database);
      const latency = await reportLatency(client, history, sample.rounds);
      const ingestPerS = await ingestRate(usage, client, history, sample.ingest);
      await kept.keepPoint({ events: kept.written, bytes, latency, ingestPerS });
      console.log(`\n${scaleReport(history, await kept.points())}\n`);
    };
    await database.query('SET synchronous_commit = off; SET work_mem = 262144; SET jit = off');
    await prepareSimulation(database, history);
    await makePartitions(database, history);
    const stops = [0, 0.1, 0.3].map((share) => Math.round((share * history.events) / chunk) * chunk);
    const measured = new Set((await kept.points()).map(({ events }) => events));
    while (kept.written < history.events) {
      if (stops.includes(kept.written) && !measured.has(kept.written)) await measure();
      const beganAt = performance.now();
      await kept.write(chunk);
      const seconds = (performance.now() - beganAt) / 1_000;
      console.log(
        `${kept.written} of ${history.events} events are written, the last of them in ${seconds.toFixed(1)} s.`,
      );
    }
    await measure();
    await checkSums(client, history);
  } finally {
    await Promise.all([connection.close(), usage.close()]);
    await database.end();
  }
}

/** The sums of a few keys against all their events. @throws Error when one disagrees. */
async function checkSums(client: ControlClient, { keys }: History): Promise<void> {
  for (const number of [keys - 1, Math.floor(keys / 2), 0]) {
    const request = { keyId: simulatedKey(number) };
    const { differences, events } = await client.call(meteringOperations.recount, request, { timeoutMs: recountMs });
    if (differences.length > 0) throw new Error(`The sums of a key are wrong: ${JSON.stringify(differences[0])}`);
    console.log(`Key ${number}: the sums equal its ${events} events.`);
  }
}

async function pricedModels(stack: Stack): Promise<string[]> {
  const { models } = await stack.call(catalogOperations.snapshot, {});
  return models
    .filter(({ prices, kind }) => prices !== null && kind === 'generation')
    .slice(0, modelCount)
    .map(({ id }) => id);
}

void main();
