import { ControlError } from '@tollgate/contracts';
import { meteringOperations, reportOperations } from '@tollgate/contracts/metering';
import type { ControlClient } from '@tollgate/messaging';
import { percentiles } from '../percentiles';
import type { Percentiles } from '../percentiles';
import { simulatedKey } from './history';
import type { History } from './history';

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

/** The questions that are asked, with a name for the table. */
function questions(
  client: Pick<ControlClient, 'call'>,
  { untilMs }: History,
): Record<string, (keyId: string) => Promise<unknown>> {
  const chart = (
    lengthMs: number,
    step: 'minute' | 'hour' | 'day',
    scope: object,
    groupBy: 'none' | 'model' = 'none',
  ) =>
    client.call(
      reportOperations.series,
      { ...scope, startAt: untilMs - lengthMs, endAt: untilMs, step, groupBy },
      { timeoutMs: 60_000 },
    );
  return {
    'report, hour': (keyId) => client.call(meteringOperations.metrics, { keyId, period: 'hour' }),
    'report, day': (keyId) => client.call(meteringOperations.metrics, { keyId, period: 'day' }),
    'report, week': (keyId) => client.call(meteringOperations.metrics, { keyId, period: 'week' }),
    'report, month': (keyId) => client.call(meteringOperations.metrics, { keyId, period: 'month' }),
    'quota record': (keyId) => client.call(meteringOperations.usage, { keyId, quotaTokens: 1 }),
    'chart, key, day by the minute': (keyId) => chart(dayMs, 'minute', { keyIds: [keyId] }),
    'chart, key, month by the day': (keyId) => chart(30 * dayMs, 'day', { keyIds: [keyId] }, 'model'),
    'chart, all keys, day by the hour': () => chart(dayMs, 'hour', {}, 'model'),
    'chart, all keys, month by the day': () => chart(30 * dayMs, 'day', {}, 'model'),
    'log, key, first page': (keyId) =>
      client.call(reportOperations.listRequests, { keyIds: [keyId], startAt: untilMs - 30 * dayMs, endAt: untilMs }),
    'log, all keys, first page': () =>
      client.call(reportOperations.listRequests, { startAt: untilMs - dayMs, endAt: untilMs }),
  };
}

/**
 * How long answers took, milliseconds, and how many were given up on: by the service, or by the caller after
 * a minute. Those count with the time until then.
 */
export interface AnswerTimes extends Percentiles {
  gaveUp: number;
}

/**
 * How long each question takes, over NATS, asked again and again for keys in turn, the busiest among them. By
 * the question's name.
 */
export async function reportLatency(
  client: Pick<ControlClient, 'call'>,
  history: History,
  rounds: number,
): Promise<Record<string, AnswerTimes>> {
  const latency: Record<string, AnswerTimes> = {};
  for (const [name, ask] of Object.entries(questions(client, history)))
    latency[name] = await answerTimes(rounds, (round) =>
      ask(simulatedKey(Math.floor((round * history.keys) / rounds))),
    );
  return latency;
}

/** How long the rounds of one question take. @throws what it throws, but for `unavailable`. */
export async function answerTimes(rounds: number, ask: (round: number) => Promise<unknown>): Promise<AnswerTimes> {
  const times: number[] = [];
  let gaveUp = 0;
  for (let round = 0; round < rounds; round++) {
    const beganAt = performance.now();
    try {
      await ask(round);
    } catch (error) {
      if (!(error instanceof ControlError && error.code === 'unavailable')) throw error;
      gaveUp++;
    }
    times.push(performance.now() - beganAt);
  }
  return { ...percentiles(times), gaveUp };
}
