import { catalogOperations, meteringOperations } from '@tollgate/contracts';
import { connectToNats, ControlClient } from '@tollgate/messaging';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { Client } from 'pg';
import { buildServices } from '../../stack/build';
import { startStack } from '../../stack/stack';
import type { Stack } from '../../stack/stack';
import { makePartitions, simulatedKey, sizes, writeHistory } from './history';
import type { History } from './history';
import { ingestRate } from './ingest-rate';
import { reportLatency } from './report-latency';
import { scaleReport } from './scale-report';
import type { ScalePoint } from './scale-report';

const chunk = 1_000_000;
const modelCount = 4;

/** `npm run bench:scale`: ingest, reports and disk as the ledger grows to a hundred million events (`-- --events 5000000` for a smaller one). Needs 600 bytes of disk an event. */
async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      events: { type: 'string', default: '100000000' },
      keys: { type: 'string', default: '500' },
      ingest: { type: 'string', default: '100000' },
      rounds: { type: 'string', default: '50' },
    },
  });
  const events = Number(values.events);
  const dataFolder = await mkdtemp(join(tmpdir(), 'tollgate-scale-'));
  await buildServices();
  const stack = await startStack({ dataFolder, environment: { LOG_LEVEL: 'warn' } });
  const ended = (): void => void stack.stop().finally(() => process.exit(130));
  process.once('SIGINT', ended).once('SIGTERM', ended);
  try {
    const history: History = {
      keys: Number(values.keys),
      models: await pricedModels(stack),
      // Reports look back from now; what is ingested for the measurement comes after the simulated past.
      untilMs: Date.now() - 600_000,
      lengthMs: 365 * 86_400_000,
      events,
    };
    await grow(stack, history, { ingest: Number(values.ingest), rounds: Number(values.rounds) });
  } finally {
    await stack.stop();
    await rm(dataFolder, { recursive: true, force: true });
  }
}

async function grow(stack: Stack, history: History, sample: { ingest: number; rounds: number }): Promise<void> {
  const database = new Client({ connectionString: stack.databaseUrl });
  await database.connect();
  const connection = await connectToNats({ url: stack.natsUrl, name: 'scale' });
  const usage = await connectToNats({ url: stack.natsUrlOf('inference'), name: 'scale-usage' });
  const client = new ControlClient(connection);
  const points: ScalePoint[] = [];
  const measure = async (written: number, secondsToWrite: number): Promise<void> => {
    await database.query('VACUUM (ANALYZE) usage_event, usage_minute, usage_hour');
    const bytes = await sizes(database);
    const latency = await reportLatency(client, history, sample.rounds);
    const ingestPerS = await ingestRate(usage, client, history, sample.ingest);
    points.push({ events: written, bytes, latency, ingestPerS });
    console.log(`\n${scaleReport(history, points)}\n\nThe last events were written in ${secondsToWrite.toFixed(0)} s.`);
  };
  try {
    await database.query('SET synchronous_commit = off');
    await makePartitions(database, history);
    await measure(0, 0);
    const stops = [0.1, 0.3, 1].map((share) => Math.round((share * history.events) / chunk) * chunk);
    let beganAt = performance.now();
    for (let from = 0; from < history.events; from += chunk) {
      await writeHistory(database, history, from, Math.min(from + chunk, history.events));
      if (!stops.includes(from + chunk)) continue;
      await measure(from + chunk, (performance.now() - beganAt) / 1_000);
      beganAt = performance.now();
    }
    await checkSums(client, history);
  } finally {
    await Promise.all([connection.close(), usage.close()]);
    await database.end();
  }
}

/** The sums of a few keys against all their events. @throws Error when one disagrees. */
async function checkSums(client: ControlClient, { keys }: History): Promise<void> {
  for (const number of [0, Math.floor(keys / 2), keys - 1]) {
    const request = { keyId: simulatedKey(number) };
    const { differences, events } = await client.call(meteringOperations.recount, request, { timeoutMs: 600_000 });
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
