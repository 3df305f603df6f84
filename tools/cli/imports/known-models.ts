import type { ModelEntry } from '@tollgate/configuration';
// Data beside the database's schema, of no project, so that it has no name to be imported by. A dry run has
// no gateway to ask.
// oxlint-disable-next-line nx/enforce-module-boundaries
import { seedFiles } from '../../../prisma/seed/seed-files';
import type { KnownModels } from './model-entries';

export { builtInProviders } from '@tollgate/providers';

/**
 * The models that Tollgate ships with, by their id, and by their provider and each name that it gives them.
 */
export function knownModels(): KnownModels {
  const known = new Map<string, ModelEntry>();
  for (const { provider, models } of seedFiles)
    for (const model of models) {
      const names = [model.upstreamModel ?? bare(model.id), ...(model.aliases ?? [])];
      for (const name of [model.id, ...names.map((one) => `${provider}/${one}`)]) known.set(name, model);
    }
  return known;
}

function bare(id: string): string {
  return id.slice(id.indexOf('/') + 1);
}
