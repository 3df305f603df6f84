import { Refusal } from '../failure';

/** A row of a file, and the line (from 1) on which it begins. */
export interface CsvRow {
  line: number;
  cells: string[];
}

/**
 * Rows of cells, as RFC 4180 has them. Empty lines are left out.
 * @throws Refusal for a quote that is never closed.
 */
export function readCsv(text: string): CsvRow[] {
  const rows: CsvRow[] = [];
  let row: CsvRow = { line: 1, cells: [] };
  let cell = '';
  let line = 1;
  let quotedSince: number | null = null;
  const endRow = (): void => {
    row.cells.push(cell);
    if (row.cells.some((each) => each !== '')) rows.push(row);
    row = { line, cells: [] };
    cell = '';
  };
  const body = text.replace(/^\ufeff/, '');
  for (let at = 0; at < body.length; at++) {
    const character = body.charAt(at);
    if (character === '\n') line += 1;
    if (quotedSince !== null && character === '"' && body.charAt(at + 1) === '"') cell += body.charAt(++at);
    else if (character === '"') quotedSince = quotedSince === null ? line : null;
    else if (quotedSince !== null) cell += character;
    else if (character === ',') {
      row.cells.push(cell);
      cell = '';
    } else if (character === '\n') endRow();
    else if (character !== '\r') cell += character;
  }
  if (quotedSince !== null) throw new Refusal(`Line ${quotedSince}: a quote that begins here does not end.`);
  endRow();
  return rows;
}
