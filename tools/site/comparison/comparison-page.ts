import { tableText } from '../../prove/write-page';
import { measured, measuredOn } from './measured';
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
