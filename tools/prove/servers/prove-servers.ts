import { randomUUID } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually, freePort } from '@tollgate/testing';
import type { Stack } from '../../stack/stack';
import { AbsentError } from '../clients/install';
import { storedEvents } from '../ledger/stored-events';
import type { Say } from '../proof';
import { withStack } from '../with-stack';
import { answerTo, differences } from './answer';
import type { Answer } from './answer';
import { cases } from './cases';
import type { CaseName } from './cases';
import { fileOf, keyName } from './gateway';
import type { Gateway, Place } from './gateway';
import { bearer, RunningServer } from './own-server';
import type { OwnServer } from './own-server';
import { questions } from './questions';
import type { Question, QuestionName } from './questions';

/** What was found for one question. `problems` is empty where nothing differs; `named`: why it may. */
export interface Cell {
  problems: string[];
  named: string | null;
}

/** What the table has a line for. */
export type LineName = QuestionName | CaseName;

/** All that was asked of a server. `absent`: why it could not be had; null where it could. */
export interface Row {
  server: OwnServer;
  absent: string | null;
  cells: Map<LineName, Cell>;
}

const listedWithinMs = 9_000;
const bookedWithinMs = 3_000;

/** Installs the servers, starts them, asks each directly and through a gateway, and compares. */
export async function proveServers(servers: readonly OwnServer[], keep: boolean, say: Say): Promise<Row[]> {
  const work = mkdtempSync(join(tmpdir(), 'tollgate-servers-'));
  const places: Place[] = [];
  try {
    const rows: Row[] = [];
    for (const server of servers) rows.push(await begun(server, work, places, say));
    const config = join(work, 'tollgate.yaml');
    writeFileSync(config, fileOf(places));
    const keys = servers.flatMap(({ id, key }): [string, string][] => (key === null ? [] : [[keyName(id), key]]));
    const environment: Record<string, string> = {
      TOLLGATE_SANDBOX: 'off',
      TOLLGATE_CONFIG: config,
      ...Object.fromEntries<string>(keys),
    };
    if (places.length > 0)
      await withStack({ durable: false, keep, onProgress: say, environment }, (stack) =>
        askAll(stack, places, rows, say),
      );
    return rows;
  } finally {
    await Promise.all(places.map(({ running }) => running.stop()));
    if (keep) say(`Kept: ${work}`);
    else rmSync(work, { recursive: true, force: true });
  }
}

/** Installs and starts all parts of a server. */
async function begun(server: OwnServer, folder: string, places: Place[], say: Say): Promise<Row> {
  const row: Row = { server, absent: null, cells: new Map() };
  say(`${server.name} (${server.packages[0]})`);
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
      places.push({ server, part, provider: `${server.id}-${places.length}`, running });
      await running.start();
      await part.afterStart?.(site);
    }
  } catch (error) {
    if (!(error instanceof AbsentError)) throw error;
    row.absent = error.message;
  }
  return row;
}

async function askAll(stack: Stack, places: readonly Place[], rows: readonly Row[], say: Say): Promise<void> {
  const { apiKey } = await stack.createKey({ name: 'servers', plan: 'enterprise', rpm: null, quotaTokens: null });
  await eventually(async () => {
    const response = await fetch(`${stack.baseUrl}/v1/models`, { headers: bearer(apiKey) });
    const text = await response.text();
    return places.every(({ provider, part }) => text.includes(`"${provider}/${part.model}"`));
  }, listedWithinMs);
  const gateway: Gateway = { baseUrl: stack.baseUrl, apiKey };
  const found = ({ server }: Place, name: LineName, problems: string[]) => {
    const named = nameOf(server, name, problems);
    rows.find((row) => row.server === server)?.cells.set(name, { problems, named });
    for (const problem of problems) say(`  ${server.name}, ${name}${named === null ? '' : ' (named)'}: ${problem}`);
  };
  for (const place of places)
    for (const name of place.part.questions) found(place, name, await orWhy(() => asked(stack, place, name, apiKey)));
  const play = async (place: Place, name: CaseName) =>
    found(place, name, await orWhy(() => cases[name](place, gateway)));
  await Promise.all(having('silence of two minutes', places).map((place) => play(place, 'silence of two minutes')));
  for (const name of oneByOne) for (const place of having(name, places)) await play(place, name);
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

/** Why all of the differences may be; null where there is none, or one that nobody has named. */
function nameOf({ named }: OwnServer, name: LineName, problems: readonly string[]): string | null {
  const { begins, why } = named[name] ?? { begins: '', why: null };
  return problems.length > 0 && problems.every((problem) => problem.startsWith(begins)) ? why : null;
}

/** A sentence for each difference between the server's own answer, ours and the ledger. */
async function asked(stack: Stack, place: Place, name: QuestionName, apiKey: string): Promise<string[]> {
  const question: Question = questions[name];
  const isTranslated = question.isTranslated === true;
  const id = `${randomUUID()}-0`;
  const asItIs = question.besideV1 ? { ...question, path: question.path.replace(/^\/v1/, '') } : question;
  const directly = isTranslated ? questions.plain : asItIs;
  const model = question.model ?? place.part.model;
  const direct = await answerTo(place.running.url, directly, model, bearer(place.server.key));
  const through = await answerTo(stack.baseUrl, question, `${place.provider}/${model}`, {
    ...bearer(apiKey),
    'x-request-id': id,
  });
  return [...differences(direct, through, isTranslated), ...(await bookedWrong(stack, id, through))];
}

/** The ledger holds what the server told, once. */
async function bookedWrong(stack: Stack, id: string, { status, usage }: Answer): Promise<string[]> {
  if (status >= 400 || usage === null) return [];
  const events = await eventually(
    () => storedEvents(stack.databaseUrl, id.slice(0, -2)),
    (found) => found.length > 0,
    bookedWithinMs,
  );
  const booked = events.map((event) => `${event.input_tokens} + ${event.output_tokens}`).join(', ');
  return booked === usage.join(' + ') ? [] : [`${usage.join(' + ')} tokens told, ${booked} in the ledger`];
}
