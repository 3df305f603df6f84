import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { workspaceRoot } from '../../stack/workspace-root';
import { cellsIn, packageOf, tableText, writePage } from '../write-page';
import { cases } from './cases';
import type { Cell, LineName } from './ask-questions';
import type { Row } from './prove-servers';
import { questions } from './questions';
import { ownServers } from './servers';

const file = join(workspaceRoot, 'docs/servers.md');
const [begin, end] = ['<!-- begin: npm run prove -- servers --write -->', '<!-- end -->'];
const names = [...Object.keys(questions), ...Object.keys(cases)] as LineName[];

/**
 * What stands of one server in the table: a word by the name of its line. A difference that is named has its
 * reason, in place of the reason's number.
 */
type Column = Record<string, string>;

/**
 * Writes what was played between the two marks of docs/servers.md. Other servers stay as they are, unless
 * they are of another version.
 */
export async function writeServersPage(rows: readonly Row[]): Promise<void> {
  const page = readFileSync(file, 'utf8');
  const [from, to] = [page.indexOf(begin), page.indexOf(end)];
  if (from < 0 || to < from) throw new Error(`${file} has no place for the table.`);
  const text = `${page.slice(0, from)}${begin}\n\n${tableOf(rows, page.slice(from, to))}\n\n${page.slice(to)}`;
  await writePage(file, text);
}

/**
 * A line for each question, a column for each server, and below it why what differs may. `before`: the same
 * of the last time, of which stays what was not played now, or was absent.
 */
export function tableOf(rows: readonly Row[], before: string): string {
  const old = columnsOf(before);
  const columns = ownServers.map((server): Column => {
    const row = rows.find((each) => each.server.id === server.id && each.absent === null);
    const kept = old.find(({ '': name, played = '' }) => name === server.name && played.endsWith(packageOf(server)));
    return row ? playedNow(row) : (kept ?? { '': server.name, played: 'not played yet' });
  });
  const reasons = [...new Set(columns.flatMap((column) => names.flatMap((name) => reasonIn(column[name]) ?? [])))];
  const line = (name: string) => [name, ...columns.map((column) => numbered(column[name] ?? '-', reasons))];
  const table = tableText([line(''), line('played'), ...names.map(line)]);
  const notes = ownServers.map((server) => `- ${server.name}: ${server.note}.`);
  const whys = reasons.map((reason, index) => `${index + 1}. ${reason}.`);
  return [table, notes.join('\n'), whys.join('\n')].join('\n\n');
}

function playedNow({ server, cells }: Row): Column {
  const day = new Date().toISOString().slice(0, 10);
  const machine = `${availableParallelism()} cores of ${process.arch}`;
  const words = names.map((name) => [name, wordOf(cells.get(name))] as const);
  return { ...Object.fromEntries(words), '': server.name, played: `${day}, ${machine}, ${packageOf(server)}` };
}

function wordOf(cell: Cell | undefined): string {
  if (!cell) return '-';
  if (cell.problems.length === 0) return 'equal';
  return cell.named === null ? 'DIFFERS' : `differs (${cell.named})`;
}

/** The columns of a table, with the reasons that stand below it. */
function columnsOf(text: string): Column[] {
  const reasons = new Map([...text.matchAll(/^(\d+)\. (.*)\.$/gm)].map(([, number, reason]) => [number, reason]));
  const withReason = (cell: string) =>
    cell.replace(/^differs \((\d+)\)$/, (_, number: string) => `differs (${reasons.get(number)})`);
  const lines = cellsIn(text).map((cells) => cells.map(withReason));
  const [, ...servers] = lines[0] ?? [];
  return servers.map((_, index) =>
    Object.fromEntries(lines.map(([name = '', ...cells]) => [name, cells[index] ?? '-'])),
  );
}

function reasonIn(word = ''): string | undefined {
  return /^differs \((.*)\)$/.exec(word)?.[1];
}

function numbered(word: string, reasons: readonly string[]): string {
  const reason = reasonIn(word);
  return reason === undefined ? word : `differs (${reasons.indexOf(reason) + 1})`;
}
