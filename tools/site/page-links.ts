import { existsSync, statSync } from 'node:fs';
import { dirname, join, normalize, relative } from 'node:path';
import { workspaceRoot } from '../stack/workspace-root';

/** Where a link of a page leads: to another page, to a file that is copied, away, or nowhere on the site. */
export type Target =
  | { kind: 'page' | 'file'; source: string; href: string }
  | { kind: 'outside'; href: string }
  | { kind: 'none' };

/** The file of a page, whose source is a Markdown file of the repository. */
export function pagePath(source: string): string {
  return source === 'README.md' ? 'index.html' : source.replace(/\.md$/, '.html');
}

/**
 * Where a link leads that stands in `source`, a path in the repository. Folders are nowhere on the site.
 * @throws Error where the repository has neither a file nor a folder of this name.
 */
export function targetOf(link: string, source: string): Target {
  if (/^[a-z][a-z0-9+.-]*:/i.test(link)) return { kind: 'outside', href: link };
  const [path = '', fragment] = link.split('#', 2);
  const anchor = fragment === undefined ? '' : `#${fragment}`;
  const meant = path === '' ? source : normalize(join(dirname(source), decodeURI(path)));
  const file = join(workspaceRoot, meant);
  if (meant.startsWith('..') || !existsSync(file)) throw new Error(`${source}: ${link} leads to nothing`);
  if (!statSync(file).isFile()) return { kind: 'none' };
  const isPage = meant.endsWith('.md');
  const to = isPage ? pagePath(meant) : meant;
  const href = path === '' ? anchor : `${relative(dirname(pagePath(source)), to)}${anchor}`;
  return { kind: isPage ? 'page' : 'file', source: meant, href };
}
