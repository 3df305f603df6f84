import { isAsPromised } from './prove-cluster';
import type { ClusterProof, Struck } from './prove-cluster';

const mostProblems = 8;

/** The proof as a text for people. */
export function clusterReport({ strikes, requests, wrongBill, answeredTwice, holds }: ClusterProof): string {
  return [
    '',
    row(['', 'answers', 'cut', 'failed', 'good again']),
    ...strikes.flatMap((strike) => [
      line(strike),
      ...strike.problems.slice(0, mostProblems).map((why) => `    ${why}`),
    ]),
    '',
    `${requests} requests; ${wrongBill.length === 0 ? 'each is billed once, to the token.' : `${wrongBill.length} are billed wrong:`}`,
    ...wrongBill.slice(0, mostProblems).map((problem) => `  ${problem}`),
    ...(answeredTwice.requests > 0
      ? [
          `The provider answered ${answeredTwice.requests} twice, which were under way as something broke: their callers pay once, and inference told of ${answeredTwice.untold.length === 0 ? 'each' : 'all but these'}.`,
          ...answeredTwice.untold.slice(0, mostProblems).map((id) => `  ${id}`),
        ]
      : []),
    holds ? 'Proved: no stream was cut, nothing planned was noticed, nothing is lost or double.' : 'NOT proved.',
  ].join('\n');
}

function line(strike: Struck): string {
  const { name, answers, cut, failed, goodAgainMs } = strike;
  const again = cut + failed === 0 ? 'always' : `${(goodAgainMs / 1_000).toFixed(1)} s`;
  return row([`${isAsPromised(strike) ? ' ' : '✗'} ${name}`, String(answers), String(cut), String(failed), again]);
}

function row([name = '', ...columns]: readonly string[]): string {
  return name.padEnd(24) + columns.map((column) => column.padStart(11)).join('');
}
