import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Plugin } from 'vite';

const contractsIndex = fileURLToPath(new URL('../../libs/contracts/src/index.ts', import.meta.url));

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
  const lines: Record<string, (named: Named) => string> = {
    '@tollgate/contracts': ({ name, as }) =>
      `import { ${name} as ${as} } from '@tollgate/contracts/${contracts.get(name) ?? 'index'}';`,
    'radix-ui': ({ name, as }) => `import * as ${as} from '@radix-ui/react-${kebab(name)}';`,
  };
  return {
    name: 'imports-by-file',
    enforce: 'pre',
    transform: (code) =>
      code.replaceAll(/import \{([^}]*)\} from '(@tollgate\/contracts|radix-ui)';/g, (_whole, names: string, index) =>
        valuesOf(names)
          .map((named) => lines[index as string]?.(named) ?? '')
          .join(''),
      ),
  };
}

/** The file of everything that the contracts hold. */
function contractsFiles(): Map<string, string> {
  const exported = readFileSync(contractsIndex, 'utf8').matchAll(/export \{([^}]*)\} from '\.\/([^']+)'/g);
  return new Map([...exported].flatMap(([, names = '', file = '']) => valuesOf(names).map(({ as }) => [as, file])));
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
