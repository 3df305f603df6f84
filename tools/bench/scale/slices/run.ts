import { catalogOperations } from '@tollgate/contracts/catalog';
import type { CatalogModel } from '@tollgate/contracts/catalog';
import { connectToNats, ControlClient } from '@tollgate/messaging';
import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Client } from 'pg';
import { startStack } from '../../../stack/stack';
import type { Stack } from '../../../stack/stack';
import { answerTimes } from '../report-latency';
import type { AnswerTimes } from '../report-latency';
import { exactBlocks, exactCharts, exactReports, exactSums } from './exact-sums';
import { KeptPast } from './kept-past';
import { dayMs } from './past';
import type { PastModel, SlicedPast } from './past';
import { readProjects } from './projects-of';
import { sameAsIngest } from './same-as-ingest';
import { sliceQuestions } from './slice-questions';
import { sliceReport } from './slice-report';

/**
 * What `npm run bench:scale -- --slices` is asked for. `sample` 0: what was written is not compared with
 * ingest.
 */
export interface SlicesOptions {
  events: number;
  days: number;
  keys: number;
  accounts: number;
  busyEvents: number;
  sample: number;
  rounds: number;
  /** Which questions are asked, by their names. */
  only: RegExp;
  /** Kept; null: a folder of its own, which goes at the end. */
  dataFolder: string | null;
}

/** On busy days every key uses every model. */
const modelCounts = { plain: 4, busy: 17 } as const;
/** From cold caches, of each question. */
const coldRounds = 10;
/** The largest, and some of those after it. */
const checkedAccounts = [0, 1, 10, 100];
const endUsersOfKeys = 100_000 / 3_000;

/**
 * Slice reports of a ledger as so many events would have made it: what they read is written by metering's own
 * rules, which is proved beforehand on a sample that metering ingests. All sums must equal what the events
 * said, to the nano-dollar.
 */
export async function benchSlices(options: SlicesOptions): Promise<void> {
  if (options.sample > 0) await inFolder(null, (folder) => proveSample(folder, options));
  await inFolder(options.dataFolder, async (folder) => {
    await withStack(folder, (stack) => fillAndCheck(stack, options));
    await dropFromCache(folder);
    const cold = await withStack(folder, (stack) =>
      measured(stack, options.only, Math.min(coldRounds, options.rounds), false),
    );
    const warm = await withStack(folder, (stack) => measured(stack, options.only, options.rounds, true));
    console.log(`\n${sliceReport(cold, warm)}\n`);
  });
}

async function proveSample(folder: string, { sample }: SlicesOptions): Promise<void> {
  await withStack(folder, async (stack, database) => {
    const past = {
      ...(await pastOf(stack, { events: sample, days: 2, keys: 300, accounts: 20, busyEvents: 0 })),
      endUsers: 100_000,
      rawDays: 3,
    };
    const usage = await connectToNats({ url: stack.natsUrlOf('inference'), name: 'scale-usage' });
    const connection = await connectToNats({ url: stack.natsUrl, name: 'scale' });
    try {
      const same = await sameAsIngest(database, usage, new ControlClient(connection), past);
      console.log(`Of ${sample} events metering's ingest and the bench made the same rows:`, same);
    } finally {
      await Promise.all([usage.close(), connection.close()]);
    }
  });
}

async function fillAndCheck(stack: Stack, options: SlicesOptions): Promise<void> {
  const kept = await KeptPast.open(stack.databaseUrl, await pastOf(stack, options));
  try {
    await kept.writeAll((line) => console.log(line));
    const beganAt = performance.now();
    const blocks = await kept.blocksMade();
    console.log(`Blocks of days, ${((performance.now() - beganAt) / 1_000).toFixed(0)} s:`, blocks);
    console.log(`Sums of ${await exactSums(kept.database, kept.past)} days and dimensions equal the events.`);
    console.log(`${await exactBlocks(kept.database)} sums of blocks equal the events.`);
    await withClient(stack, async (client) => {
      const projectsOf = await readProjects(kept.database);
      const accounts = checkedAccounts.filter((account) => account < kept.past.accounts);
      const compared = await exactReports(kept.database, client, kept.past, projectsOf, accounts);
      console.log(`${compared} reports of months equal the events to the nano-dollar.`);
      const charts = await exactCharts(kept.database, client, kept.past);
      console.log(`${charts} charts of all days equal the events to the nano-dollar.`);
    });
    console.log(await kept.sizes());
  } finally {
    await kept.close();
  }
}

/** Every question in rounds; when it `isWarmed`, each was asked once before. */
async function measured(
  stack: Stack,
  only: RegExp,
  rounds: number,
  isWarmed: boolean,
): Promise<Record<string, AnswerTimes>> {
  const kept = await KeptPast.open(stack.databaseUrl, null);
  const times: Record<string, AnswerTimes> = {};
  try {
    await withClient(stack, async (client) => {
      const projectsOf = await readProjects(kept.database);
      for (const [name, ask] of Object.entries(sliceQuestions(client, kept.past, projectsOf))) {
        if (!only.test(name)) continue;
        const asked = (round: number) => ask(round / rounds);
        if (isWarmed) await answerTimes(rounds, asked);
        times[name] = await answerTimes(rounds, asked);
      }
    });
  } finally {
    await kept.close();
  }
  return times;
}

async function pastOf(
  stack: Stack,
  {
    events,
    days,
    keys,
    accounts,
    busyEvents,
  }: Pick<SlicesOptions, 'events' | 'days' | 'keys' | 'accounts' | 'busyEvents'>,
): Promise<SlicedPast> {
  const { models } = await stack.call(catalogOperations.snapshot, {});
  return {
    accounts,
    keys,
    endUsers: Math.round(keys * endUsersOfKeys),
    models: models.flatMap(plainPrice).slice(0, busyEvents > 0 ? modelCounts.busy : modelCounts.plain),
    untilMs: Date.now() - 60_000,
    lengthMs: days * dayMs,
    events,
    rawDays: 31,
    busyEvents,
  };
}

/** Models whose requests cost what their tokens do, and nothing beside. */
function plainPrice({ id, kind, prices }: CatalogModel): PastModel[] {
  if (kind !== 'generation' || !prices || prices.terms || prices.perRequest) return [];
  const [inputPico, outputPico] = [prices.input, prices.output].map((rate) => Math.round(Number(rate) * 1e6));
  return inputPico === undefined || outputPico === undefined ? [] : [{ id, inputPico, outputPico }];
}

async function withClient(stack: Stack, work: (client: ControlClient) => Promise<void>): Promise<void> {
  const connection = await connectToNats({ url: stack.natsUrl, name: 'scale' });
  try {
    await work(new ControlClient(connection));
  } finally {
    await connection.close();
  }
}

async function withStack<Result>(
  dataFolder: string,
  work: (stack: Stack, database: Client) => Promise<Result>,
): Promise<Result> {
  const stack = await startStack({ dataFolder, environment: { LOG_LEVEL: 'warn' } });
  const ended = (): void => void stack.stop().finally(() => process.exit(130));
  process.once('SIGINT', ended).once('SIGTERM', ended);
  const database = new Client({ connectionString: stack.databaseUrl });
  try {
    await database.connect();
    return await work(stack, database);
  } finally {
    await database.end();
    await stack.stop();
    process.off('SIGINT', ended).off('SIGTERM', ended);
  }
}

async function inFolder(kept: string | null, work: (folder: string) => Promise<void>): Promise<void> {
  const folder = kept ?? (await mkdtemp(join(tmpdir(), 'tollgate-slices-')));
  try {
    await work(folder);
  } finally {
    if (kept === null) await rm(folder, { recursive: true, force: true });
  }
}

/**
 * Asks the system to forget what it holds of these files: `dd` of GNU does so of a file that it reads nothing
 * of. https://www.gnu.org/software/coreutils/manual/html_node/dd-invocation.html
 */
async function dropFromCache(folder: string): Promise<void> {
  const forget = ['-exec', 'dd', 'if={}', 'iflag=nocache', 'count=0', 'status=none', ';'];
  await promisify(execFile)('find', [folder, '-type', 'f', ...forget]);
}
