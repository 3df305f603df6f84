import type { Say } from '../proof';
import type { Column, Row } from './prove-clients';

/** How many cells and sums of a client do not hold. */
export function failed({ columns, wrongSums }: Row): number {
  return [...columns.values()].reduce((sum, column) => sum + failures(column).length, wrongSums.length);
}

/** The names of a column's cells that do not hold. */
export function failures(column: Column): string[] {
  return [...column].flatMap(([name, problems]) => (problems.length > 0 ? [name] : []));
}

/** Tells what a client did, and each thing that was wrong. */
export function sayRow(row: Row, say: Say): void {
  const { client, absent, columns, wrongSums, requests, warnings } = row;
  if (absent !== null) {
    say(`${client.name}: ABSENT, not tried: ${absent}`);
    return;
  }
  const all = [...columns.values()].reduce((sum, { size }) => sum + size, 0);
  say(`${client.name}: ${all - failed(row)} of ${all} cells hold; ${requests} requests`);
  for (const [model, column] of columns)
    for (const [name, problems] of column) for (const problem of problems) say(`  ${model}, ${name}: ${problem}`);
  for (const warning of warnings) say(`  warned: ${warning}`);
  for (const problem of wrongSums) say(`  ${problem}`);
}
