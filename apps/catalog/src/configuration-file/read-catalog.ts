import { loadTollgateFile, type TollgateFile } from '@tollgate/configuration';
import { builtInProviders } from '@tollgate/providers';
import { seedFiles } from '../effective/seed';
import type { EffectiveCatalog } from '../effective/effective-catalog';
import { effectiveCatalog } from '../effective/effective-catalog';

/** What the operator's file says, and the catalog that it makes. */
export interface ReadFile {
  file: TollgateFile;
  catalog: EffectiveCatalog;
}

/**
 * Reads the file anew; undefined: there is none.
 * @throws TollgateFileError naming the place of every fault of the file.
 */
export function readCatalog(configurationFile: string | undefined): ReadFile {
  const file = loadTollgateFile(configurationFile);
  return { file, catalog: catalogOf(file) };
}

/**
 * The catalog that built-in providers, seed and such a file make together.
 * @throws TollgateFileError naming the place of every fault.
 */
export function catalogOf(file: TollgateFile): EffectiveCatalog {
  return effectiveCatalog(builtInProviders, seedFiles, file);
}
