import type { PageVisits } from './visits';

/** The visits as a table for people. */
export function visitsReport(visits: readonly PageVisits[], events: number): string {
  const row = (cells: readonly string[]) =>
    [cells[0]?.padEnd(28), ...cells.slice(1).map((cell) => cell.padStart(10))].join(' ');
  return [
    `With ${events.toLocaleString('en')} requests in the ledger, from the address to the finished page:`,
    row(['', 'median ms', 'slowest ms', 'calls']),
    ...visits.map(({ path, medianMs, slowestMs, calls, holds }) =>
      row([path, medianMs.toFixed(0), slowestMs.toFixed(0), String(calls), holds ? '' : 'too much']),
    ),
  ].join('\n');
}
