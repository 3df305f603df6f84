import { errorReasons } from '@tollgate/contracts';
import { usualModel } from '../models/preferred-model';

/** A guide: where it stands below /docs, and its text in Markdown, which begins with its title. */
export interface Guide {
  path: string;
  text: string;
}

/** A part of a guide that holds what was looked for. */
export interface Found {
  guide: Guide;
  /** Of the part; the guide's own title, where it stands before the first part. */
  heading: string;
  /** The id of the heading; null: the beginning of the guide. */
  anchor: string | null;
  excerpt: string;
}

/** What stands in the texts for the address of this gateway. */
const exampleOrigin = 'https://gateway.example';

/** The text as its reader can use it: with the address and a model of this gateway. */
export function filledIn(text: string, { origin, model }: { origin: string; model: string }): string {
  return text
    .replaceAll('{{errorReasons}}', reasonsTable())
    .replaceAll(exampleOrigin, origin)
    .replaceAll(usualModel, model);
}

function reasonsTable(): string {
  const rows = Object.entries(errorReasons).map(
    ([reason, { statuses, act }]) => `| \`${reason}\` | ${statuses.join(', ')} | ${act.replaceAll('|', '\\|')} |`,
  );
  return ['| Reason | Status | What to do |', '| --- | --- | --- |', ...rows].join('\n');
}

export const titleOf = ({ text }: Guide): string => /^# (.*)$/m.exec(text)?.[1] ?? '';

/** The id of a heading. */
export const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-|-$/g, '');

const excerptLength = 160;

/** The parts of the guides that hold every word, those with one in their heading first. */
export function searchGuides(guides: readonly Guide[], typed: string): Found[] {
  const words = typed.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return [];
  const found = guides.flatMap((guide) =>
    partsOf(guide)
      .filter(({ heading, body }) => {
        const text = `${titleOf(guide)} ${heading} ${body}`.toLowerCase();
        return words.every((word) => text.includes(word));
      })
      .map(({ heading, anchor, body }): Found => ({ guide, heading, anchor, excerpt: excerptOf(body, words) })),
  );
  const isNamed = ({ heading }: Found) => words.some((word) => heading.toLowerCase().includes(word));
  return [...found.filter(isNamed), ...found.filter((one) => !isNamed(one))];
}

function partsOf(guide: Guide): { heading: string; anchor: string | null; body: string }[] {
  const [first = '', ...rest] = guide.text.split(/^## /m);
  return [
    { heading: titleOf(guide), anchor: null, body: first.replace(/^# .*$/m, '') },
    ...rest.map((part) => {
      const [heading = '', ...lines] = part.split('\n');
      return { heading, anchor: anchorOf(heading), body: lines.join('\n') };
    }),
  ];
}

/** What stands around the first word, without the marks of Markdown. */
function excerptOf(body: string, words: readonly string[]): string {
  const plain = body
    .replaceAll(/^```\w*$/gm, '')
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replaceAll(/[`|*]|-{3,}/g, '')
    .replaceAll(/\s+/g, ' ')
    .trim();
  const places = words.map((word) => plain.toLowerCase().indexOf(word)).filter((place) => place >= 0);
  const from = Math.max(0, Math.min(...(places.length > 0 ? places : [0])) - 40);
  const text = plain.slice(from, from + excerptLength);
  return `${from > 0 ? '…' : ''}${text}${from + excerptLength < plain.length ? '…' : ''}`;
}

/** The words of a name in code, each with what stands behind it: `rate_limit_error` is three. */
export const namePieces = (text: string): string[] => text.match(/[^_/]*[_/]+|[^_/]+/g) ?? [];
