import type { priceOperations } from '@tollgate/contracts/catalog';
import type { z } from 'zod';
import type { MatchedPrices } from '../prices/match-prices';
import { rateTable } from './prices';
import { printable } from './table';
import { instant } from './values';

type ImportResult = z.output<typeof priceOperations.importPrices.reply> & Omit<MatchedPrices, 'prices'>;

const mostNames = 12;

/**
 * What an import changes, or would change: the rates, then what it leaves alone and why. `compared` models
 * were found on both sides.
 */
export function importReport(result: ImportResult, compared: number, place: string): string {
  const models = new Set(result.changes.map(({ model }) => model)).size;
  return `${comparisonReport(result, compared, place)}\n\n${outcome(result, models)}`;
}

/** How a document differs from the prices in force. */
export function comparisonReport(result: ImportResult, compared: number, place: string): string {
  const models = new Set(result.changes.map(({ model }) => model)).size;
  return [
    `Compared ${compared} models with ${printable(place)}: ${models} differ.`,
    result.changes.length > 0 ? rateTable(result.changes) : null,
    names('Set in tollgate.yaml or by prices set, which wins', result.overridden),
    names('Not in the catalog', [...result.strangers, ...result.unknown]),
    names('Not in the document', result.missing),
    names(
      'Kept as they are, since the document does not tell them',
      result.kept.map(({ model, rates }) => `${model} (${rates.join(', ')})`),
    ),
    names(
      'Not taken over',
      result.leftOut.map(({ model, reason }) => `${model} (${reason})`),
    ),
  ]
    .filter((part) => part !== null)
    .join('\n\n');
}

function outcome({ applied, from, changes, confirmed }: ImportResult, models: number): string {
  const same = confirmed.length === 0 ? '' : `prices that are the same (${counted(confirmed.length)})`;
  if (applied) {
    const taken = `The new prices of ${counted(models)} hold from ${instant(from)} on. No charge that was made has changed.`;
    const marked = same && `The ${same} count as taken from their source today.`;
    return [changes.length > 0 ? taken : '', marked].filter(Boolean).join(' ');
  }
  const later = same && ` With --apply the ${same} count as taken from their source today.`;
  if (changes.length === 0) return `There is nothing to change.${later}`;
  return `Nothing was written. With --apply these prices hold from that moment on; what was charged before stays.${later}`;
}

function counted(models: number): string {
  return `${models} ${models === 1 ? 'model' : 'models'}`;
}

function names(title: string, list: readonly string[]): string | null {
  if (list.length === 0) return null;
  const rest = list.length > mostNames ? `, and ${list.length - mostNames} more (--json shows all)` : '';
  return `${title}: ${list.slice(0, mostNames).map(printable).join(', ')}${rest}`;
}
