import type { Look } from './looks';
import type { Visit } from './visit';

/** How a page did in one look, over some visits. */
export interface PageVisits {
  path: string;
  look: Look;
  visits: readonly Visit[];
}

interface Figures {
  paintMs: number;
  doneMs: number;
  taskMs: number;
  requests: number;
  shift: number;
}

/** Times are of the middle visit, as a machine stands still now and then; requests and shifts of the worst. */
function figuresOf({ visits }: PageVisits): Figures {
  const middle = (of: (one: Visit) => number) => visits.map(of).sort((a, b) => a - b)[visits.length >> 1] ?? 0;
  return {
    paintMs: middle(({ paintMs }) => paintMs),
    doneMs: middle(({ doneMs }) => doneMs),
    taskMs: middle(({ taskMs }) => taskMs),
    requests: Math.max(...visits.map(({ requests }) => requests)),
    shift: Math.max(...visits.map(({ shift }) => shift)),
  };
}

/** What a page takes too much of, each as a text; empty: nothing. */
export function excessOf(page: PageVisits): string[] {
  const { paintMs, taskMs, requests, shift } = figuresOf(page);
  const { limits } = page.look;
  const worst = page.visits.toSorted((a, b) => b.shift - a.shift)[0];
  const latest = page.visits.toSorted((a, b) => b.paintMs - a.paintMs)[0];
  return [
    ...(paintMs >= limits.paintMs
      ? [
          `paints late: "${latest?.painted}"; its slowest call was ${latest?.slowest.path}, ${latest?.slowest.tookMs.toFixed(0)} ms`,
        ]
      : []),
    ...(taskMs > limits.taskMs ? ['has a long task'] : []),
    ...(requests > limits.requests ? ['fetches too much'] : []),
    ...(shift >= limits.shift ? [`shifts: ${worst?.shifted.slice(0, 3).join(' | ')}`] : []),
  ];
}

/** The figures as a table for people, then what is too much. */
export function webReport(pages: readonly PageVisits[], requests: number): string {
  const row = (cells: readonly string[]) =>
    [cells[0]?.padEnd(60), cells[1]?.padEnd(8), ...cells.slice(2).map((cell) => cell.padStart(9))].join(' ').trimEnd();
  const lines = pages.map((page) => {
    const { paintMs, doneMs, requests: fetched, shift, taskMs } = figuresOf(page);
    const figures = [paintMs.toFixed(0), doneMs.toFixed(0), taskMs.toFixed(0), String(fetched), shift.toFixed(3)];
    return row([page.path, page.look.name, ...figures, excessOf(page).length > 0 ? 'too much' : '']);
  });
  const excess = pages.flatMap((page) => excessOf(page).map((text) => `${page.path}, ${page.look.name}: ${text}`));
  return [
    `With ${requests.toLocaleString('en')} requests in the ledger, each page with an empty cache:`,
    row(['', '', 'paint ms', 'done ms', 'task ms', 'requests', 'shift']),
    ...lines,
    ...excess,
  ].join('\n');
}
