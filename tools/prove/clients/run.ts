import type { ProofOptions, ProofValues, Say } from '../proof';
import { withStack } from '../with-stack';
import { cellNames } from './client';
import { clients } from './clients';
import { failed, sayRow } from './clients-report';
import { proveClients } from './prove-clients';
import { writeClientsPage } from './clients-page';
import { modelNames } from './models';

export const clientsOptions = {
  only: { type: 'string', default: '' },
  models: { type: 'string', default: '' },
  cells: { type: 'string', default: '' },
  latest: { type: 'boolean', default: false },
  write: { type: 'boolean', default: false },
  keep: { type: 'boolean', default: false },
} as const satisfies ProofOptions;

/**
 * Holds when every client could be had, something was played and no cell or sum failed. `only`: beginnings of
 * clients' ids, with commas; `models`: a part of their ids; `cells`: names of cells, with commas;
 * `latest`: the newest versions in place of the pinned ones; `write`: what was played goes into
 * docs/clients.md. What names nothing is said and does not hold.
 */
export async function runClients(values: ProofValues<typeof clientsOptions>, say: Say): Promise<boolean> {
  const wrong = mistakes(values);
  for (const mistake of wrong) say(mistake);
  if (wrong.length > 0) return false;
  const { only, models, cells, latest, write, keep } = values;
  const parts = only.split(',');
  const chosen = clients.filter(({ id }) => parts.some((part) => id.startsWith(part)));
  const options = { models, latest, keep, cells: cells === '' ? [] : cells.split(',') };
  const rows = await withStack({ durable: false, onProgress: say }, (stack) =>
    proveClients(stack, chosen, options, say, async (row) => {
      sayRow(row, say);
      if (write) await writeClientsPage(row);
    }),
  );
  const isPlayed = rows.some(({ columns }) => columns.size > 0);
  if (!isPlayed) say('No cell was played.');
  return isPlayed && rows.every((row) => row.absent === null && failed(row) === 0);
}

/** A sentence for each thing that is asked for and is not there, or does not go together. */
function mistakes({ only, models, cells, latest, write }: ProofValues<typeof clientsOptions>): string[] {
  const isCell = (name: string) => cellNames.some((each) => each === name);
  const isClient = (part: string) => clients.some(({ id }) => id.startsWith(part));
  return [
    ...only.split(',').flatMap((part) => (isClient(part) ? [] : [`No client begins with ${part}.`])),
    ...(modelNames.some((name) => name.includes(models)) ? [] : [`No model has ${models} in its id.`]),
    ...cells.split(',').flatMap((name) => (name === '' || isCell(name) ? [] : [`There is no cell ${name}.`])),
    ...(write && cells !== '' ? ['--write wants all cells: leave --cells out.'] : []),
    ...(write && latest ? ['--write wants the pinned versions: leave --latest out.'] : []),
  ];
}
