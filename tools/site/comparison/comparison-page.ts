import { tableText } from '../../prove/write-page';
import { ahead, behind, others, readOn } from './rows';
import type { Row } from './rows';

/** The page that compares Tollgate with others, from its source in `rows.ts`, as Markdown. */
export function comparisonPage(): string {
  return `# Beside others

What the public documentation of four others said on ${readOn}, in our words, each with its place, and what Tollgate has of it. A dash: we did not find it there, which does not mean that it is not so. Two of the others were run, [for their speed](#measured-beside-two-of-them). Tell us what is wrong or out of date.

## Where Tollgate has less

${table(behind)}

Those times cannot be compared: each was taken by its makers, on machines, loads and features of their choice. Ours has key check, limits, quota and durable usage on.

## Measured beside two of them

\`npm run bench:peers\` runs Portkey's gateway 1.15.2, LiteLLM's proxy 1.106.2 and Tollgate in turns on your machine, over one simulated provider. These are its figures of ${measuredOn}, on two cores that did nothing else, with load and provider on them: [all of them, and what each has switched on](performance.md#side-by-side). Tollgate checks keys and limits and stores each request durably; Portkey does none of that, and LiteLLM knows one key and counts costs without keeping them.

${tableText([['', 'Tollgate', 'Portkey', 'LiteLLM'], ...measured.map((row) => [row.what, row.Tollgate, row.Portkey, row.LiteLLM])])}

As it is measured, Tollgate needs more memory than either, and more CPU and time than Portkey where little is asked; under full load, and to the first chunk of a stream, it is the faster of the three.

## Where Tollgate has more

${table(ahead)}

What each promise of Tollgate is worth, with what was not proved: [promises.md](promises.md). How to move: [come-over.md](come-over.md).
`;
}

function table(rows: readonly Row[]): string {
  const lines = rows.map(({ what, ours, theirs }) => [
    what,
    ours,
    ...others.map((other) => {
      const finding = theirs[other];
      return finding ? `[${finding.says}](${finding.source})` : '-';
    }),
  ]);
  return tableText([['', 'Tollgate', ...others], ...lines]);
}

/** When and how the gateways were measured beside one another, by `npm run bench:peers`. */
const measuredOn = '2026-11-27';

/** One figure of the same run; those of which Tollgate has the worst come first. */
interface MeasuredRow {
  what: string;
  Tollgate: string;
  Portkey: string;
  LiteLLM: string;
}

/** As docs/performance.md has them, whose table tells all. */
const measured: readonly MeasuredRow[] = [
  {
    what: 'memory at rest; at most, MB',
    ...{ Tollgate: '709; 879, with Postgres and nats-server', Portkey: '39; 167', LiteLLM: '343; 438' },
  },
  {
    what: 'CPU of a request at 200 requests/s, µs',
    ...{ Tollgate: '3,856', Portkey: '1,803', LiteLLM: '11,469, at 86/s: it did not keep up' },
  },
  {
    what: 'median; 99th percentile at 200 requests/s, ms',
    ...{ Tollgate: '2.61; 8.40', Portkey: '2.13; 8.32', LiteLLM: 'none: it did not keep up' },
  },
  {
    what: 'CPU of a chunk, 64 streams, µs',
    ...{ Tollgate: '171', Portkey: '143', LiteLLM: '848' },
  },
  {
    what: 'first chunk of a stream, median of 64, ms',
    ...{ Tollgate: '37', Portkey: '64', LiteLLM: '1,356' },
  },
  {
    what: 'requests/s, 32 connections',
    ...{ Tollgate: '1,429', Portkey: '839', LiteLLM: '80, one worker' },
  },
];
