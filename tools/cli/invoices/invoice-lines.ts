import { picoUsdFromDecimal } from '@tollgate/contracts';
import type { CatalogModel } from '@tollgate/contracts/catalog';
import { modelNamedBy } from '@tollgate/contracts/metering';
import type { BilledLine } from '@tollgate/contracts/metering';
import { Refusal } from '../failure';
import { modelInDescription } from './description';
import { formOf, modelServices, ownForm } from './invoice-forms';
import type { InvoiceColumn, InvoiceForm } from './invoice-forms';
import { readCsv } from './read-csv';
import type { CsvRow } from './read-csv';

/** The names of a file's own columns, where they are others than those of its form. */
export type ColumnNames = Partial<Record<InvoiceColumn, string>>;

/** What is known of the models that a provider bills: those of the catalog, and words for some of them. */
export interface BilledModels {
  provider: string;
  models: readonly CatalogModel[];
  /** The ids of models by a text that their lines have, as an operator says it. */
  named: Readonly<Record<string, string>>;
}

/** What a file says. */
export interface Invoice {
  form: string;
  /** The lines of each day (`YYYY-MM-DD`, UTC). */
  days: Map<string, BilledLine[]>;
  /** What is no model's, in pico-dollars by its service or category. */
  leftOut: Map<string, bigint>;
  /** Names of models that the catalog does not have. */
  unknown: Set<string>;
}

/**
 * Reads an invoice, in the form that its first line tells.
 * @throws Refusal naming the line that cannot be read.
 */
export function readInvoice(csv: string, billed: BilledModels, names: ColumnNames): Invoice {
  const [header, ...rows] = readCsv(csv);
  const columns = header?.cells.map((name) => name.trim().toLowerCase()) ?? [];
  const form = formOf(columns) ?? ownForm;
  const reader = new LineReader(form, columns, billed, placesOf(form, columns, names));
  for (const column of ['day', 'usd'] as const)
    if (!reader.has(column))
      throw new Refusal(
        `The file has no column ${names[column] ?? column}. --column ${column}=<name> says how it is called; there are: ${header?.cells.join(', ') ?? 'none'}.`,
      );
  for (const row of rows) reader.read(row);
  return reader.invoice;
}

/** In which columns of a file each value is, those that are preferred first. */
type Places = Partial<Record<InvoiceColumn, number[]>>;

function placesOf({ columns: known }: InvoiceForm, columns: readonly string[], names: ColumnNames): Places {
  const wanted = { ...known, ...mapped(names) };
  const places = Object.entries(wanted).map(([column, each]) => [
    column,
    each.map((name) => columns.indexOf(name)).filter((at) => at >= 0),
  ]);
  return Object.fromEntries(places) as Places;
}

function mapped(names: ColumnNames): Record<string, string[]> {
  return Object.fromEntries(Object.entries(names).map(([column, name]) => [column, [name.toLowerCase()]]));
}

/** Reads the rows of one file. */
class LineReader {
  readonly invoice: Invoice;

  constructor(
    private readonly form: InvoiceForm,
    private readonly columns: readonly string[],
    private readonly billed: BilledModels,
    private readonly places: Places,
  ) {
    this.invoice = { form: form.name, days: new Map(), leftOut: new Map(), unknown: new Set() };
  }

  has(column: InvoiceColumn): boolean {
    return (this.places[column]?.length ?? 0) > 0;
  }

  read(row: CsvRow): void {
    const { form, columns, invoice } = this;
    const { line, cells } = row;
    if (cells.length !== columns.length)
      throw new Refusal(
        `Line ${line} has ${cells.length} cells, and the first line has ${columns.length}. Is a comma not in quotes?`,
      );
    if (form.emptyIsNothing && this.cell(row, 'usd') === '') return;
    const day = dayIn(this.cell(row, 'day'));
    if (day === null) throw new Refusal(`Line ${line}: ${told(this.cell(row, 'day'))} is no day such as 2026-11-23.`);
    const currency = this.cell(row, 'currency');
    // Azure tells US dollars beside what an account is billed in, or leaves them out.
    const isUsd = columns[this.placeOf(row, 'usd') ?? -1]?.endsWith('inusd') ?? false;
    if (!isUsd && currency !== '' && currency.toLowerCase() !== 'usd')
      throw new Refusal(`Line ${line}: the amount is in ${currency}. Bills are compared in US dollars.`);
    const more = this.cell(row, 'more_usd');
    const picoUsd = amountIn(this.cell(row, 'usd'), line) + (more === '' ? 0n : amountIn(more, line));
    const other = this.otherThanModels(row);
    if (other !== null) {
      invoice.leftOut.set(other, (invoice.leftOut.get(other) ?? 0n) + picoUsd);
      return;
    }
    const lines = invoice.days.get(day) ?? [];
    lines.push({
      ...this.describe(row),
      picoUsd: picoUsd.toString(),
      quantity: quantityIn(this.cell(row, 'quantity'), this.cell(row, 'unit'), line),
      requestId: this.cell(row, 'request_id') || null,
    });
    invoice.days.set(day, lines);
  }

  private cell(row: CsvRow, column: InvoiceColumn): string {
    return row.cells[this.placeOf(row, column) ?? -1]?.trim() ?? '';
  }

  /** The first column that has something. */
  private placeOf({ cells }: CsvRow, column: InvoiceColumn): number | undefined {
    return this.places[column]?.find((at) => (cells[at]?.trim() ?? '') !== '');
  }

  /** Null: it is a line of models. */
  private otherThanModels(row: CsvRow): string | null {
    const category = this.cell(row, 'category');
    if (/^tax$/i.test(category)) return category;
    const service = this.cell(row, 'service');
    return service === '' || modelServices.test(service) ? null : service;
  }

  private describe(row: CsvRow): Pick<BilledLine, 'model' | 'kind'> {
    const { model, kind } = this.form.describe(this.cell(row, 'description'));
    const words = this.cell(row, 'kind');
    return {
      model: this.modelOf(this.cell(row, 'model') || model),
      kind: words === '' ? kind : this.form.kindOf(words),
    };
  }

  /** The public id of a model that a file names; `provider/name` where the catalog has none. */
  private modelOf(name: string): string {
    if (name === '') return '';
    const { provider, models, named } = this.billed;
    const said = Object.keys(named)
      .filter((text) => name.toLowerCase().includes(text.toLowerCase()))
      .sort((one, other) => other.length - one.length)[0];
    if (said !== undefined) return named[said] ?? name;
    if (models.some(({ id }) => id === name)) return name;
    const id = modelNamedBy(models, provider, name);
    if (models.some((model) => model.id === id)) return id;
    const own = models.filter(({ deployments }) => deployments.some((one) => one.provider === provider));
    const found = modelInDescription(own, name);
    if (found === null) this.invoice.unknown.add(name);
    return found ?? id;
  }
}

/** The day (UTC) of a date, or of an instant; a time that tells no zone is UTC. Null: it is none. */
function dayIn(text: string): string | null {
  const american = /^(\d{2})\/(\d{2})\/(\d{4})$/.exec(text);
  const iso = american ? `${american[3]}-${american[1]}-${american[2]}` : text.replace(/ UTC$/, 'Z').replace(' ', 'T');
  const [, day = '', time = '', zone = ''] =
    /^(\d{4}-\d{2}-\d{2})(?:(T\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?)(Z|[+-]\d{2}:\d{2})?)?$/.exec(iso) ?? [];
  const atMs = Date.parse(`${day}${time || 'T00:00:00'}${zone || 'Z'}`);
  // February 30th would be March 2nd.
  if (Number.isNaN(atMs) || new Date(Date.parse(`${day}T00:00:00Z`)).toISOString().slice(0, 10) !== day) return null;
  return new Date(atMs).toISOString().slice(0, 10);
}

function amountIn(text: string, line: number): bigint {
  try {
    return picoUsdFromDecimal(text.replace(/^(-?)\$/, '$1'));
  } catch {
    throw new Refusal(`Line ${line}: ${told(text)} is no amount of US dollars.`);
  }
}

const thousands = /\b(1k|1 ?000|1,000|thousand)\b/i;
const millions = /\b(1m|1 ?000 ?000|1,000,000|million)\b/i;

/** Whole uses: clouds count tokens by the thousand or the million. Null: it is not told. */
function quantityIn(text: string, unit: string, line: number): number | null {
  if (text === '') return null;
  const count = /^-?\d+(\.\d+)?(e[+-]?\d+)?$/i.test(text) ? Number(text) : Number.NaN;
  if (Number.isNaN(count)) throw new Refusal(`Line ${line}: ${told(text)} is no quantity.`);
  const uses = Math.round(count * (millions.test(unit) ? 1_000_000 : thousands.test(unit) ? 1_000 : 1));
  // A correction takes some back, which no quantity tells.
  return uses < 0 ? null : uses;
}

function told(text: string): string {
  return text || 'nothing';
}
