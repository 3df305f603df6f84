import { decimalFromNanoUsd } from '@tollgate/contracts';
import type { NatsOutage } from './prove-nats-outage';
import type { PostgresOutage } from './prove-postgres-outage';

const mostProblems = 30;
const seconds = (ms: number) => `${(ms / 1_000).toFixed(1)} s`;

/** The proof of Postgres's absence as a text for people. */
export function postgresOutageReport(outage: PostgresOutage): string {
  const { awayMs, requests, streams, answeredMeanwhile, failed, landedAfterMs, reconciliation: all } = outage;
  const landed =
    landedAfterMs === null
      ? 'not all usage landed in time'
      : `all usage landed ${seconds(landedAfterMs)} after its return`;
  return [
    '',
    `Postgres was stopped for ${seconds(awayMs)}: ${requests} requests, ${streams} of them streams, ${answeredMeanwhile} answered meanwhile; ${failed.length} failed; ${landed}.`,
    `The provider booked ${all.booked} requests, ${all.inputTokens.booked} + ${all.outputTokens.booked} tokens; the ledger has ${all.events} events, ${all.inputTokens.billed} + ${all.outputTokens.billed} tokens, ${decimalFromNanoUsd(all.nanoUsd.billed)} US dollars (expected: ${decimalFromNanoUsd(all.nanoUsd.expected)}); ${outage.deadLetters} dead letters.`,
    ...shortened([...failed, ...all.problems]),
    outage.holds ? 'Proved: nobody noticed, nothing is lost.' : 'NOT proved.',
  ].join('\n');
}

/** The proof of NATS's restarts as a text for people. */
export function natsOutageReport({ requests, kills, restarted, problems, holds }: NatsOutage): string {
  return [
    '',
    `NATS was killed ${kills.length} times under ${requests} requests:`,
    ...kills.map(
      ({ underWay, refused, slowestRefusalMs, goodAfterMs }, index) =>
        `  ${index + 1}: ${underWay.failed} under way failed visibly, ${underWay.complete} came whole, ${underWay.silent} ended silently; ${refused} refused, each within ${seconds(slowestRefusalMs)}; good again ${seconds(goodAfterMs)} after its return`,
    ),
    `Restarted services: ${restarted.length === 0 ? 'none' : restarted.join(', ')}.`,
    ...shortened(problems),
    holds ? 'Proved: it heals by itself, and every failure was told.' : 'NOT proved.',
  ].join('\n');
}

function shortened(problems: readonly string[]): string[] {
  const rest = problems.length - mostProblems;
  return [
    ...problems.slice(0, mostProblems).map((problem) => `  ${problem}`),
    ...(rest > 0 ? [`  … and ${rest} more`] : []),
  ];
}
