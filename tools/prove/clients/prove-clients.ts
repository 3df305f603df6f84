import { catalogOperations } from '@tollgate/contracts/catalog';
import type { CatalogModel } from '@tollgate/contracts/catalog';
import type { Stack } from '../../stack/stack';
import type { Say } from '../proof';
import { audit } from './audit';
import type { Audit } from './audit';
import { cells } from './cells';
import type { Cell } from './cells';
import type { CellName, Client, Usage } from './client';
import { Door } from './door';
import { AbsentError, install, nodeForClients } from './install';
import { modelNames } from './models';
import { playCell } from './play-cell';
import type { Ground, Played } from './play-cell';

/**
 * What a client did with one model, cell by cell: an empty list is a cell that holds; cells that the client
 * or the model cannot do are not there.
 */
export type Column = Map<CellName, string[]>;

/** All that was asked of a client. `absent`: why it could not be had; null where it could. */
export interface Row {
  client: Client;
  absent: string | null;
  /** By the id of the model. */
  columns: Map<string, Column>;
  /** A sentence for each sum over all of it that differs. */
  wrongSums: string[];
  requests: number;
  /** What the gateway said that it left out or changed. */
  warnings: Set<string>;
}

interface ClientsOptions {
  models: string;
  /** Only these cells; empty: all. */
  cells: readonly string[];
  latest: boolean;
  keep: boolean;
}

type Cells = [model: CatalogModel, cell: Cell, played: Played][];

/**
 * Plays every cell of these clients with each model whose id has `models` in it. `onRow` gets each row when
 * it is played, so that none is lost when the next one is broken off.
 */
export async function proveClients(
  stack: Stack,
  clients: readonly Client[],
  options: ClientsOptions,
  say: Say,
  onRow: (row: Row) => Promise<void>,
): Promise<Row[]> {
  const snapshot = await stack.call(catalogOperations.snapshot, {});
  const models = modelNames.map((name) => modelOf(snapshot.models, name));
  const door = await Door.open(stack.baseUrl);
  try {
    const spent = await spentKey(stack);
    const rows: Row[] = [];
    for (const client of clients) {
      say(`${client.name} (${client.packages[0]})`);
      const row = await rowOf(stack, client, { ...options, all: models, catalog: snapshot.models, door, spent }, say);
      await onRow(row);
      rows.push(row);
    }
    return rows;
  } finally {
    door.close();
  }
}

interface Run extends ClientsOptions {
  all: readonly CatalogModel[];
  catalog: readonly CatalogModel[];
  door: Door;
  spent: string;
}

async function rowOf(stack: Stack, client: Client, run: Run, say: Say): Promise<Row> {
  const row: Row = { client, absent: null, columns: new Map(), wrongSums: [], requests: 0, warnings: new Set() };
  const { door, latest, keep } = run;
  try {
    const node = await nodeForClients();
    const installed = await install(client, latest);
    const { apiKey, key } = await stack.createKey({
      name: client.id,
      plan: 'enterprise',
      rpm: null,
      quotaTokens: null,
    });
    door.run = `${client.id}-${Date.now().toString(36)}`;
    const from = door.visits.length;
    const keys = { good: apiKey, wrong: 'tg_sk_wrong', spent: run.spent };
    const played = await playAll(client, run, { door, installed, node, keys, keep }, say);
    const visits = door.visits.slice(from);
    row.requests = visits.length;
    row.warnings = new Set(visits.flatMap(({ warnings }) => (warnings === '' ? [] : [warnings])));
    const found = await audit(stack, door.run, { apiKey, keyId: key.id }, visits, run.catalog);
    row.wrongSums = found.ofAll;
    row.columns = columnsOf(played, found);
  } catch (error) {
    if (!(error instanceof AbsentError)) throw error;
    row.absent = error.message;
  }
  return row;
}

async function playAll(client: Client, run: Run, ground: Ground, say: Say): Promise<Cells> {
  const all: Cells = [];
  for (const [index, model] of run.all.entries()) {
    const next = run.all[(index + 1) % run.all.length] ?? model;
    if (!model.id.includes(run.models)) continue;
    for (const cell of cells) {
      const isAsked = run.cells.length === 0 || run.cells.includes(cell.name);
      if (!isAsked || !client.cells.includes(cell.name) || !cell.fits(model)) continue;
      const played = await playCell(client, cell, [model, next], ground);
      for (const problem of played.problems) say(`  ${model.id}, ${cell.name}: ${problem}`);
      all.push([model, cell, played]);
    }
  }
  return all;
}

/** The cells with what the books say of them. */
function columnsOf(played: Cells, { ofRequests, tokens }: Audit): Row['columns'] {
  const columns: Row['columns'] = new Map();
  for (const [model, cell, { visits, problems, usage }] of played) {
    const column = columns.get(model.id) ?? new Map<CellName, string[]>();
    columns.set(model.id, column);
    const sums = ofRequests.filter((problem) => visits.some(({ id }) => problem.startsWith(`${id} `)));
    column.set(cell.name, [
      ...problems,
      ...sums,
      ...(cell.key === 'good' && usage
        ? wrongUsage(
            usage,
            visits.map(({ id }) => tokens.get(id)),
          )
        : []),
    ]);
  }
  return columns;
}

function wrongUsage(told: Usage, booked: readonly (Usage | undefined)[]): string[] {
  const sum = (field: keyof Usage) => booked.reduce((total, each) => total + (each?.[field] ?? 0), 0);
  const isEqual = told.input === sum('input') && told.output === sum('output');
  return isEqual ? [] : [`it saw ${told.input} + ${told.output} tokens, the ledger ${sum('input')} + ${sum('output')}`];
}

function modelOf(models: readonly CatalogModel[], name: string): CatalogModel {
  const found = models.find(({ id }) => id === name);
  if (!found) throw new Error(`The catalog has no ${name}.`);
  return found;
}

const quotaTokens = 200_000;
const model = 'mistral/mistral-large-4';

/**
 * A key whose quota is used up but for less than an agent's smallest request, which was once within the whole
 * of it.
 */
async function spentKey(stack: Stack): Promise<string> {
  const { apiKey } = await stack.createKey({ name: 'spent', plan: 'enterprise', rpm: null, quotaTokens });
  for (const tokens of [100_000, 99_500]) {
    const response = await fetch(`${stack.baseUrl}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
      body: JSON.stringify({
        model,
        messages: [{ role: 'user', content: `Talk. [[sandbox: tokens=${tokens}]]` }],
      }),
    });
    await response.arrayBuffer();
    if (!response.ok) throw new Error(`A quota could not be used up: ${response.status}`);
  }
  return apiKey;
}
