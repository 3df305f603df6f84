import type { ProofOptions, ProofValues, Say } from '../proof';
import { withStack } from '../with-stack';
import { clients } from './clients';
import { failed, sayRow } from './clients-report';
import { proveClients } from './prove-clients';
import { writePage } from './clients-page';

export const clientsOptions = {
  only: { type: 'string', default: '' },
  models: { type: 'string', default: '' },
  cells: { type: 'string', default: '' },
  latest: { type: 'boolean', default: false },
  write: { type: 'boolean', default: false },
  keep: { type: 'boolean', default: false },
} as const satisfies ProofOptions;

/**
 * Holds when every client could be had and no cell failed. `only`: beginnings of clients' ids, with commas; `cells`: names of cells, with commas; `latest`: the newest versions in place of the pinned ones;
 * `write`: the rows of docs/clients.md that were played in full.
 */
export async function runClients(
  { only, models, cells, latest, write, keep }: ProofValues<typeof clientsOptions>,
  say: Say,
): Promise<boolean> {
  const parts = only.split(',');
  const chosen = clients.filter(({ id }) => parts.some((part) => id.startsWith(part)));
  const options = { models, latest, keep, cells: cells === '' ? [] : cells.split(',') };
  const rows = await withStack({ durable: false, onProgress: say }, (stack) =>
    proveClients(stack, chosen, options, say),
  );
  for (const row of rows) sayRow(row, say);
  if (write) await writePage(rows);
  return rows.length > 0 && rows.every((row) => row.absent === null && failed(row) === 0);
}
