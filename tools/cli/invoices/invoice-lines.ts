import { kindInWords, modelNamedBy, picoUsdFromDecimal } from '@tollgate/contracts';
import type { BilledLine, CatalogModel } from '@tollgate/contracts';
import { Refusal } from '../failure';

/** What a column of an invoice may hold. `day` and `usd` must be there. */
export const invoiceColumns = ['day', 'usd', 'model', 'kind', 'quantity', 'request_id'] as const;
type InvoiceColumn = (typeof invoiceColumns)[number];

/** The names of a file's own columns, where they are others. */
export type ColumnNames = Partial<Record<InvoiceColumn, string>>;

/**
 * The lines of an invoice by day (`YYYY-MM-DD`, UTC). `models`: those of the catalog, for the names that the
 * provider gives them.
 * @throws Refusal naming the line that cannot be read.
 */
export function invoiceLines(
  csv: string,
  provider: string,
  models: readonly CatalogModel[],
  names: ColumnNames,
): Map<string, BilledLine[]> {
  const [header = [], ...rows] = readCsv(csv);
  const columns = header.map((name) => name.trim().toLowerCase());
  const at = (column: InvoiceColumn): number => columns.indexOf((names[column] ?? column).toLowerCase());
  for (const column of ['day', 'usd'] as const)
    if (at(column) < 0)
      throw new Refusal(
        `The file has no column ${names[column] ?? column}. --column ${column}=<name> says how it is called; there are: ${header.join(', ')}.`,
      );
  const days = new Map<string, BilledLine[]>();
  for (const [index, row] of rows.entries()) {
    const cell = (column: InvoiceColumn): string => row[at(column)]?.trim() ?? '';
    const day = /^\d{4}-\d{2}-\d{2}/.exec(cell('day'))?.[0];
    if (day === undefined || Number.isNaN(Date.parse(day)))
      throw new Refusal(`Line ${index + 2}: ${cell('day') || 'nothing'} is no day such as 2026-11-23.`);
    const model = cell('model');
    const line: BilledLine = {
      model: model === '' ? '' : models.some(({ id }) => id === model) ? model : modelNamedBy(models, provider, model),
      kind: kindInWords(cell('kind')),
      picoUsd: amountIn(cell('usd'), index).toString(),
      quantity: /^\d{1,15}$/.test(cell('quantity')) ? Number(cell('quantity')) : null,
      requestId: cell('request_id') || null,
    };
    days.set(day, [...(days.get(day) ?? []), line]);
  }
  return days;
}

function amountIn(text: string, index: number): bigint {
  try {
    return picoUsdFromDecimal(text.replace(/^(-?)\$/, '$1'));
  } catch {
    throw new Refusal(`Line ${index + 2}: ${text || 'nothing'} is no amount of US dollars.`);
  }
}

/** Rows of cells, as RFC 4180 has them. Empty lines are left out. */
function readCsv(text: string): string[][] {
  const rows: string[][] = [];
  let row: string[] = [];
  let cell = '';
  let quoted = false;
  const endRow = (): void => {
    row.push(cell);
    if (row.some((each) => each !== '')) rows.push(row);
    row = [];
    cell = '';
  };
  const body = text.replace(/^\ufeff/, '');
  for (let at = 0; at < body.length; at++) {
    const character = body.charAt(at);
    if (quoted && character === '"' && body.charAt(at + 1) === '"') cell += body.charAt(++at);
    else if (character === '"') quoted = !quoted;
    else if (quoted) cell += character;
    else if (character === ',') {
      row.push(cell);
      cell = '';
    } else if (character === '\n') endRow();
    else if (character !== '\r') cell += character;
  }
  endRow();
  return rows;
}
