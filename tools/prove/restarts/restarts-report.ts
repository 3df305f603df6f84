import type { RestartsProof, Step } from './prove-restarts';

const mostProblems = 30;

/** The proof as a text for people. */
export function restartsReport({ steps, requests, streams, redirected, failed, holds }: RestartsProof): string {
  const names = [...new Set(steps.map(({ name, what }) => `${what} ${name}`))];
  return [
    '',
    ...names.map((name) =>
      stepsLine(
        name,
        steps.filter((step) => `${step.what} ${step.name}` === name),
      ),
    ),
    '',
    `${requests} requests, ${streams} of them streams; ${redirected} went to the other edge because theirs did not listen; ${failed.length} failed`,
    ...failed.slice(0, mostProblems).map((problem) => `  ${problem}`),
    holds ? 'Proved: no request failed, no stream was cut.' : 'NOT proved.',
  ].join('\n');
}

function stepsLine(name: string, steps: readonly Step[]): string {
  const slowestMs = Math.max(...steps.map(({ tookMs }) => tookMs));
  return `  ${name.padEnd(22)} ${String(steps.length).padStart(3)} times, ${(slowestMs / 1_000).toFixed(1)} s at most`;
}
