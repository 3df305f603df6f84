import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '@tollgate/testing';
import type { Stack } from '../../stack/stack';
import { AbsentError } from '../clients/install';
import type { Say } from '../proof';
import { withStack } from '../with-stack';
import { allListed, asked, cellOf } from './ask-questions';
import type { Cell, LineName } from './ask-questions';
import { cases } from './cases';
import type { CaseName } from './cases';
import { fileOf, keysOf } from './gateway';
import type { Gateway, Place } from './gateway';
import { RunningServer } from './own-server';
import type { OwnServer } from './own-server';
import { Recorder } from './recording/recorder';
import { isRecorded, writeRecording } from './recording/recording';

/** All that was asked of a server. `absent`: why it could not be had; null where it could. */
export interface Row {
  server: OwnServer;
  absent: string | null;
  cells: Map<LineName, Cell>;
}

/**
 * `keep`: folders and logs stay. `record`: what the servers answer is kept for the gate, and nothing but
 * questions is played.
 */
interface Ways {
  keep: boolean;
  record: boolean;
}

/** Installs the servers, starts them, asks each directly and through a gateway, and compares. */
export async function proveServers(servers: readonly OwnServer[], ways: Ways, say: Say): Promise<Row[]> {
  const { keep, record } = ways;
  const work = mkdtempSync(join(tmpdir(), 'tollgate-servers-'));
  const places: Place[] = [];
  try {
    const rows: Row[] = [];
    for (const server of servers) {
      say(`${server.name} (${server.packages[0]})`);
      rows.push(await begun(server, work, places, record));
    }
    const config = join(work, 'tollgate.yaml');
    writeFileSync(config, fileOf(places));
    const environment: Record<string, string> = {
      TOLLGATE_SANDBOX: 'off',
      TOLLGATE_CONFIG: config,
      ...keysOf(places),
    };
    if (places.length > 0)
      await withStack({ durable: false, keep, onProgress: say, environment }, (stack) =>
        askAll(stack, places, rows, { record, say }),
      );
    if (record) await writeAll(rows, places);
    return rows;
  } finally {
    await Promise.all(places.map(({ running }) => running.stop()));
    await Promise.all(places.map(({ recorder }) => recorder?.stop() ?? Promise.resolve()));
    if (keep) say(`Kept: ${work}`);
    else rmSync(work, { recursive: true, force: true });
  }
}

/** Installs and starts all parts of a server. */
async function begun(server: OwnServer, folder: string, places: Place[], record: boolean): Promise<Row> {
  const row: Row = { server, absent: null, cells: new Map() };
  try {
    const installed = await server.install();
    const work = join(folder, server.id);
    mkdirSync(work);
    for (const part of server.parts) {
      const others = new Map(places.map((place) => [place.part.model, place.running.url]));
      const site = { installed, work, port: await freePort(), others };
      const command = await part.command(site);
      for (const [name, text] of Object.entries(command.files ?? {})) writeFileSync(join(work, name), text);
      const running = new RunningServer(command, site, part.model, server.key);
      const recorder = record ? await Recorder.start(running.url, site) : null;
      const provider = `${server.id}-${places.length}`;
      places.push({ server, part, provider, url: recorder?.url ?? running.url, running, recorder });
      await running.start();
      await part.afterStart?.(site);
    }
  } catch (error) {
    if (!(error instanceof AbsentError)) throw error;
    row.absent = error.message;
  }
  return row;
}

async function askAll(
  stack: Stack,
  places: readonly Place[],
  rows: readonly Row[],
  { record, say }: { record: boolean; say: Say },
): Promise<void> {
  const { apiKey } = await stack.createKey({ name: 'servers', plan: 'enterprise', rpm: null, quotaTokens: null });
  await allListed(stack.baseUrl, apiKey, places);
  const found = ({ server }: Place, name: LineName, problems: string[]) => {
    const cell = cellOf(server, name, problems);
    rows.find((row) => row.server === server)?.cells.set(name, cell);
    for (const problem of problems)
      say(`  ${server.name}, ${name}${cell.named === null ? '' : ' (named)'}: ${problem}`);
  };
  for (const place of places)
    for (const name of place.part.questions.filter((each) => !record || isRecorded(each)))
      found(place, name, await orWhy(() => asked(stack, place, name, apiKey)));
  if (!record) await playCases({ baseUrl: stack.baseUrl, apiKey }, places, found);
}

async function playCases(
  gateway: Gateway,
  places: readonly Place[],
  found: (place: Place, name: CaseName, problems: string[]) => void,
): Promise<void> {
  const play = async (place: Place, name: CaseName) =>
    found(place, name, await orWhy(() => cases[name](place, gateway)));
  await Promise.all(having('silence of two minutes', places).map((place) => play(place, 'silence of two minutes')));
  for (const name of oneByOne) for (const place of having(name, places)) await play(place, name);
}

/** Keeps what each server answered that could be had whole. */
async function writeAll(rows: readonly Row[], places: readonly Place[]): Promise<void> {
  for (const { server } of rows.filter(({ absent }) => absent === null)) {
    const own = places.filter((place) => place.server === server && place.part.questions.length > 0);
    await writeRecording(
      server,
      Object.fromEntries(own.map(({ part, recorder }) => [part.model, recorder?.exchanges ?? []])),
    );
  }
}

/** What is wrong, or why that could not be found out: the rest is played all the same. */
async function orWhy(play: () => Promise<string[]>): Promise<string[]> {
  try {
    return await play();
  } catch (error) {
    return [String(error)];
  }
}

/** All but the one that only waits, which is played at all servers at once. */
const oneByOne = (Object.keys(cases) as CaseName[]).filter((name) => name !== 'silence of two minutes');

function having(name: CaseName, places: readonly Place[]): Place[] {
  return places.filter(({ part }) => part.cases.includes(name));
}
