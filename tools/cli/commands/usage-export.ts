import { decimalFromNanoUsd } from '@tollgate/contracts';
import { accountsOperations } from '@tollgate/contracts/accounts';
import { reportOperations, type UsedDay } from '@tollgate/contracts/metering';
import { Command, Option } from 'commander';
import { readDay } from '../arguments/arguments';
import { namedAccount } from '../arguments/named-account';
import type { Gateway, Surroundings } from '../gateway';
import { focusColumns, focusRow, type NamedDay } from '../text/focus';
import { pages } from '../pages';

/** A page of many keys may take its time. */
const pageTimeoutMs = 55_000;
const keysAPage = 500;

const formats = ['csv', 'focus', 'json'] as const;

interface Options {
  from: string;
  to: string;
  account?: string;
  format: (typeof formats)[number];
}

/** `usage export`: what keys used of models at providers on each day, for bills and FinOps tools. */
export function usageExport({ gateway, output }: Surroundings): Command {
  return new Command('export')
    .description('print what was used, by day (UTC), key, model and provider: as CSV, JSON or FOCUS 1.2')
    .requiredOption('--from <day>', 'the first day, such as 2026-11-01', readDay)
    .requiredOption('--to <day>', 'the last day', readDay)
    .option('--account <id or email>', 'only of this account')
    .addOption(
      new Option('--format <format>', 'focus: the columns that FinOps tools read').choices(formats).default('csv'),
    )
    .action(async ({ format, ...asked }: Options) => {
      const days = await namedDays(gateway, asked);
      output.show({ days }, format === 'json', () => (format === 'focus' ? asFocus(days) : asCsv(days)));
    });
}

async function namedDays(gateway: Gateway, { from, to, account }: Omit<Options, 'format'>): Promise<NamedDay[]> {
  const accountId = await namedAccount(gateway, account);
  const days: UsedDay[] = [];
  const read = (after: string | undefined) =>
    gateway.call(reportOperations.days, { from, to, accountId, after }, { timeoutMs: pageTimeoutMs });
  for await (const page of pages(read)) days.push(...page.days);
  const keys = days.length === 0 ? new Map<string, Names>() : await namesOf(gateway, accountId);
  return days.map((day) => ({ ...day, ...(keys.get(day.keyId) ?? nobody) }));
}

type Names = Pick<NamedDay, 'keyName' | 'project' | 'accountName' | 'tags'>;

const nobody: Names = { keyName: null, project: null, accountName: null, tags: [] };

/** By key. */
async function namesOf(gateway: Gateway, accountId: string | undefined): Promise<Map<string, Names>> {
  const names = new Map<string, Names>();
  const read = (after: string | undefined) =>
    gateway.call(accountsOperations.listKeys, { accountId, limit: keysAPage, after });
  for await (const { keys } of pages(read))
    for (const { id, name, project, accountName, tags } of keys)
      names.set(id, { keyName: name, project, accountName, tags });
  return names;
}

function asFocus(days: readonly NamedDay[]): string {
  return [csvLine(focusColumns), ...days.map((day) => csvLine(focusRow(day)))].join('\n');
}

/** Plain columns; what it cost in dollars. */
function asCsv(days: readonly NamedDay[]): string {
  const rows = days.map(({ costNanoUsd, tags, ...day }) => ({
    ...day,
    costUsd: decimalFromNanoUsd(BigInt(costNanoUsd)),
    tags: tags.join(','),
  }));
  const columns = [
    ...(['day', 'accountId', 'accountName', 'keyId', 'keyName', 'project', 'model', 'provider', 'requests'] as const),
    ...([
      'unpricedRequests',
      'inputTokens',
      'cachedInputTokens',
      'outputTokens',
      'reasoningTokens',
      'costUsd',
      'tags',
    ] as const),
  ];
  return [csvLine(columns), ...rows.map((row) => csvLine(columns.map((column) => row[column])))].join('\n');
}

/**
 * One line of RFC 4180, without its end, for programs: nothing is put in front of what a spreadsheet might
 * run as a formula. Null is an empty cell.
 */
function csvLine(cells: readonly (string | number | null)[]): string {
  return cells.map(toText).join(',');
}

function toText(cell: string | number | null): string {
  const text = cell === null ? '' : String(cell);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
