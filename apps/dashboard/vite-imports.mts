import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Plugin } from 'vite';

const contractsFolder = fileURLToPath(new URL('../../libs/contracts/src/', import.meta.url));

/** What is imported of an index: its name there and its name here. */
interface Named {
  name: string;
  as: string;
}

/**
 * Imports what an index leads to from where it is. A page then needs these files, and not everything that
 * stands in the index, which is how `vite-chunks.mts` finds what pages share.
 */
export function importsByFile(): Plugin {
  const contracts = contractsFiles();
  const lineOf = (index: string, { name, as }: Named) =>
    index === 'radix-ui'
      ? `import * as ${as} from '@radix-ui/react-${kebab(name)}';`
      : `import { ${name} as ${as} } from '@tollgate/contracts/${contracts.get(name) ?? 'index'}';`;
  return {
    name: 'imports-by-file',
    enforce: 'pre',
    transform: (code) =>
      code.replaceAll(
        /import \{([^}]*)\} from '(@tollgate\/contracts(?:\/\w+)?|radix-ui)';/g,
        (_whole, names: string, index: string) =>
          valuesOf(names)
            .map((named) => lineOf(index, named))
            .join(''),
      ),
  };
}

/** The file of everything that the contracts hold, whichever entry names it. */
function contractsFiles(): Map<string, string> {
  const entries = ['', ...readdirSync(contractsFolder).map((name) => `${name}/`)];
  return new Map(
    entries
      .filter((entry) => existsSync(`${contractsFolder}${entry}index.ts`))
      .flatMap((entry) => {
        const index = readFileSync(`${contractsFolder}${entry}index.ts`, 'utf8');
        const exported = [...index.matchAll(/export \{([^}]*)\} from '\.\/([^']+)'/g)];
        return exported.flatMap(([, names = '', file = '']) =>
          valuesOf(names).map(({ as }) => [as, `${entry}${file}`] as const),
        );
      }),
  );
}

/** Without types, which no page has. */
function valuesOf(names: string): Named[] {
  const values = names.split(',').map((name) => name.trim());
  return values
    .filter((name) => name !== '' && !name.startsWith('type '))
    .map((value) => {
      const [name = '', as = name] = value.split(' as ');
      return { name, as };
    });
}

const kebab = (name: string) => name.replaceAll(/\B[A-Z]/g, '-$&').toLowerCase();
