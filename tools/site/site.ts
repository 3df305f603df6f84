import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { workspaceRoot } from '../stack/workspace-root';
import { type RenderedPage, renderPage } from './markdown-page';
import { pagePath } from './page-links';

/** The files of the site by their paths in it: texts of pages, and files of the repository that are copied. */
export interface Site {
  pages: ReadonlyMap<string, string>;
  copied: ReadonlySet<string>;
}

/** What stands beside every page, in this order. */
const first = [
  'README.md',
  'docs/clients.md',
  'docs/operate.md',
  'docs/servers.md',
  'docs/come-over.md',
  'docs/compare.md',
  'CHANGELOG.md',
];

/** Makes a page of the README, of all of docs/, and of every Markdown file that one of these leads to. */
export function makeSite(): Site {
  const rendered = new Map<string, RenderedPage>();
  const copied = new Set<string>();
  const waiting = [...first, ...documents()];
  for (let source = waiting.shift(); source !== undefined; source = waiting.shift()) {
    if (rendered.has(source)) continue;
    const page = renderPage(readFileSync(join(workspaceRoot, source), 'utf8'), source);
    rendered.set(source, page);
    waiting.push(...page.pages);
    for (const file of page.files) copied.add(file);
  }
  const beside = [
    ...new Set([
      ...first,
      ...documents().filter((source) => !source.includes('/decisions/')),
      'docs/decisions/README.md',
    ]),
  ];
  const entries = beside.map((source) => ({ source, title: rendered.get(source)?.title ?? source }));
  const pages = [...rendered].map(([source, page]) => [pagePath(source), wholePage(source, page, entries)] as const);
  return { pages: new Map(pages), copied };
}

function documents(): string[] {
  return readdirSync(join(workspaceRoot, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.md'))
    .map((path) => join('docs', path))
    .toSorted();
}

function wholePage(
  source: string,
  { title, html }: RenderedPage,
  beside: readonly { source: string; title: string }[],
): string {
  const here = dirname(pagePath(source));
  const links = beside.map((one) => {
    const current = one.source === source ? ' aria-current="page"' : '';
    return `<li><a href="${relative(here, pagePath(one.source))}"${current}>${escaped(one.title)}</a></li>`;
  });
  const name = source === 'README.md' ? 'Tollgate' : `${escaped(title)} · Tollgate`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${name}</title>
<style>${pageStyle}</style>
</head>
<body>
<nav aria-label="Pages"><ul>${links.join('')}</ul></nav>
<main>${html}</main>
</body>
</html>
`;
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
}

/** How a page looks: light or dark as the reader's system is, wide tables in a frame of their own. */
const pageStyle = `
:root { color-scheme: light dark; font: 16px/1.6 system-ui, sans-serif; }
body { display: grid; grid-template-columns: 15rem minmax(0, 1fr); gap: 2rem; margin: 0 auto; max-width: 78rem; padding: 1.5rem; }
nav ul { list-style: none; margin: 0; padding: 0; position: sticky; top: 1.5rem; }
nav li { margin: 0.3rem 0; }
nav [aria-current] { font-weight: 600; }
a { color: light-dark(#0b5cad, #7cb8ff); }
h1, h2, h3 { line-height: 1.25; scroll-margin-top: 1rem; }
code { background: light-dark(#f1f3f5, #24282d); border-radius: 4px; font-size: 0.88em; padding: 0.1em 0.3em; overflow-wrap: anywhere; }
pre { background: light-dark(#f1f3f5, #1d2125); border-radius: 8px; overflow-x: auto; padding: 1rem; }
pre code { background: none; overflow-wrap: normal; padding: 0; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; font-size: 0.92rem; }
th, td { border-bottom: 1px solid light-dark(#d8dde3, #3a4047); padding: 0.4rem 0.7rem; text-align: left; vertical-align: top; }
img { height: auto; max-width: 100%; }
@media (max-width: 56rem) { body { display: block; } nav ul { position: static; } }
`;
