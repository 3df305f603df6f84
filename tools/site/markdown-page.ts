import { createElement, isValidElement, type ReactNode } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import Markdown, { type Components } from 'react-markdown';
import remarkGfm from 'remark-gfm';
import { targetOf } from './page-links';

/** A page's content as HTML, its title, and the files of the repository that it leads to. */
export interface RenderedPage {
  title: string;
  html: string;
  pages: ReadonlySet<string>;
  files: ReadonlySet<string>;
}

/** Markdown, or the part of it that plugins look at. */
interface MarkdownNode {
  type: string;
  value?: string;
  children?: MarkdownNode[];
  data?: unknown;
  url?: string;
  alt?: string;
}

/** Renders a Markdown file of the repository, `source` being its path there. */
export function renderPage(text: string, source: string): RenderedPage {
  const [pages, files, headings] = [new Set<string>(), new Set<string>(), new Headings()];
  const follow = (link: string): string | undefined => {
    const target = targetOf(link, source);
    if (target.kind === 'none') return undefined;
    if (target.kind === 'page') pages.add(target.source);
    if (target.kind === 'file') files.add(target.source);
    return target.href;
  };
  const heading =
    (level: string) =>
    ({ children }: { children?: ReactNode }) =>
      createElement(level, { id: headings.anchorOf(textOf(children)) }, children);
  const components: Components = {
    ...Object.fromEntries(['h1', 'h2', 'h3', 'h4', 'h5', 'h6'].map((level) => [level, heading(level)])),
    a: ({ href, id, children }) => {
      if (href === undefined) return createElement('a', { id }, children);
      const to = follow(href);
      return to === undefined ? createElement('span', null, children) : createElement('a', { href: to }, children);
    },
    img: ({ src, alt }) =>
      createElement('img', { src: typeof src === 'string' ? follow(src) : undefined, alt: alt ?? '' }),
    table: ({ children }) => createElement('div', { className: 'wide' }, createElement('table', null, children)),
  };
  const html = renderToStaticMarkup(
    createElement(Markdown, {
      ...{ remarkPlugins: [remarkGfm, () => readHtml], components, urlTransform: (url: string) => url },
      children: text,
    }),
  );
  return { title: /^# (.+)$/m.exec(text)?.[1]?.replaceAll(/[`*]/g, '') ?? source, html, pages, files };
}

/** Of HTML in Markdown only anchors and pictures are kept: our pages use no other. */
function readHtml(node: MarkdownNode): void {
  node.children = node.children?.flatMap((child) => (child.type === 'html' ? kept(child.value ?? '') : [child])) ?? [];
  for (const child of node.children) if (child.children) readHtml(child);
}

function kept(html: string): MarkdownNode[] {
  const anchors = [...html.matchAll(/<a id="([\w-]+)">/g)].map(([, id]): MarkdownNode => {
    return { type: 'anchor', children: [], data: { hName: 'a', hProperties: { id } } };
  });
  const pictures = [...html.matchAll(/<img\s[^>]*>/g)].map(([tag]): MarkdownNode => {
    const said = (name: string): string => new RegExp(`${name}="([^"]*)"`).exec(tag)?.[1] ?? '';
    return { type: 'image', url: said('src'), alt: said('alt') };
  });
  return [...anchors, ...pictures];
}

function textOf(node: ReactNode): string {
  if (typeof node === 'string' || typeof node === 'number') return String(node);
  if (Array.isArray(node)) return node.map(textOf).join('');
  return isValidElement<{ children?: ReactNode }>(node) ? textOf(node.props.children) : '';
}

/** The anchors of a page's headings, as GitHub makes them: the same text again gets a number. */
class Headings {
  private readonly used = new Map<string, number>();

  anchorOf(text: string): string {
    const plain = text
      .trim()
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\p{M}\s_-]/gu, '')
      .replaceAll(/\s/g, '-');
    const times = this.used.get(plain) ?? 0;
    this.used.set(plain, times + 1);
    return times === 0 ? plain : `${plain}-${times}`;
  }
}
