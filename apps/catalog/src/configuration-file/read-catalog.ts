import { loadTollgateFile } from '@tollgate/configuration';
import { builtInProviders } from '@tollgate/providers';
import { seedFiles } from '../effective/seed';
import type { EffectiveCatalog } from '../effective/effective-catalog';
import { effectiveCatalog } from '../effective/effective-catalog';

/**
 * The catalog that built-in providers, seed and configuration file make together, read anew.
 * @throws TollgateFileError naming the place of every fault of the file.
 */
export function readCatalog(configurationFile: string | undefined): EffectiveCatalog {
  return effectiveCatalog(builtInProviders, seedFiles, loadTollgateFile(configurationFile));
}
