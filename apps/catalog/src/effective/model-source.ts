import type { ModelEntry, TollgateFile } from '@tollgate/configuration';
import type { SeedFile } from './seed';

/**
 * All that the seed and the configuration file say of one model. `fileIndex` is its place in the file's list,
 * null when only the seed has it.
 * `priceSource` says where its price comes from, for the history of prices; `priceDay` on which day it was
 * taken from there, null where the file sets it.
 */
export interface ModelSource {
  entry: ModelEntry;
  fileIndex: number | null;
  priceSource: string;
  priceDay: string | null;
}

/**
 * The seed's models, changed and joined by those of the configuration file: field by field, `capabilities`
 * flag by flag.
 */
export function modelSources(seed: readonly SeedFile[], file: TollgateFile): Map<string, ModelSource> {
  const sources = new Map<string, ModelSource>();
  for (const { provider, models, ...facts } of seed)
    for (const { note: _note, source = facts.source, retrieved = facts.retrieved, ...model } of models)
      sources.set(model.id, {
        entry: { provider, ...model },
        fileIndex: null,
        priceSource: `${source} (${retrieved})`,
        priceDay: retrieved,
      });
  file.models.forEach((entry, fileIndex) => {
    const before = sources.get(entry.id);
    sources.set(entry.id, {
      entry: {
        ...(before && leftBy(entry, before.entry)),
        ...entry,
        capabilities: { ...before?.entry.capabilities, ...entry.capabilities },
        ...(entry.timeouts && { timeouts: { ...before?.entry.timeouts, ...entry.timeouts } }),
      },
      fileIndex,
      priceSource: entry.prices === undefined && before ? before.priceSource : 'configuration file',
      priceDay: entry.prices === undefined && before ? before.priceDay : null,
    });
  });
  return sources;
}

/**
 * What of the seed an operator's entry leaves in force. With prices of its own goes what the seed doubts and
 * announces of them; with a deployment at another provider goes the end that the model's own provider has
 * set.
 */
function leftBy(entry: ModelEntry, seeded: ModelEntry): ModelEntry {
  const { priceUnconfirmed: _doubt, priceChanges: _changes, ...ownPrices } = seeded;
  const left = entry.prices === undefined ? seeded : ownPrices;
  if (!entry.deployments?.some(({ provider }) => provider !== seeded.provider)) return left;
  const { retirement: _end, ...lasting } = left;
  return lasting;
}
