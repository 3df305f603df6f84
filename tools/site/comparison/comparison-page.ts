import { tableText } from '../../prove/write-page';
import { ahead, behind, others, readOn } from './rows';
import type { Row } from './rows';

/** The page that compares Tollgate with others, from its source in `rows.ts`, as Markdown. */
export function comparisonPage(): string {
  return `# Beside others

What the public documentation of four others said on ${readOn}, in our words, each with its place, and what Tollgate has of it. A dash: we did not find it there, which does not mean that it is not so. None of the others was run for this page. Tell us what is wrong or out of date.

## Where Tollgate has less

${table(behind)}

Those times cannot be compared: each was taken by its makers, on machines, loads and features of their choice. Ours has key check, limits, quota and durable usage on. \`npm run bench:peers\` runs Portkey's gateway, LiteLLM's proxy and Tollgate in turns on your machine, over one simulated provider: [side by side](performance.md#side-by-side).

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
