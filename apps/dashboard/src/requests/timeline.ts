import type { LoggedRequest } from '@tollgate/contracts/metering';

/** What went on for a while within a request, milliseconds from its start. */
export interface Span {
  kind: 'wait' | 'failed' | 'answer';
  name: string;
  fromMs: number;
  toMs: number;
}

type Timed = Pick<LoggedRequest, 'attempts' | 'startedAt' | 'firstTokenAt' | 'endedAt'>;
interface Tried {
  number: number;
  failed: boolean;
  fromMs: number;
  toMs: number;
}

/**
 * How a request spent its time: queue, attempts with the pauses between them, the wait for the first token,
 * the stream.
 * Attempts that ran together lie over one another. Of a request whose attempts do not tell when they began,
 * only the first token divides it. What took less than a millisecond is left out.
 */
export function timelineOf(request: Timed): Span[] {
  const totalMs = Math.max(0, request.endedAt - request.startedAt);
  const tried = triedIn(request);
  const spans = tried ? spansOf(request, tried, totalMs) : answering(request, 'Wait for the first token', 0, totalMs);
  return spans.filter(({ fromMs, toMs }) => toMs - fromMs >= 1);
}

function spansOf(request: Timed, tried: Tried[], totalMs: number): Span[] {
  const spans: Span[] = [];
  let doneMs = 0;
  for (const { number, failed, fromMs, toMs } of tried) {
    spans.push({ kind: 'wait', name: doneMs === 0 ? 'Queue' : 'Pause', fromMs: doneMs, toMs: fromMs });
    if (failed) spans.push({ kind: 'failed', name: `Attempt ${number} failed`, fromMs, toMs });
    else spans.push(...answering(request, `Attempt ${number}, first token`, fromMs, toMs));
    doneMs = Math.max(doneMs, toMs);
  }
  return [...spans, { kind: 'wait', name: 'End', fromMs: doneMs, toMs: totalMs }];
}

/** In the order in which they began. Null: there was none, or they do not tell when. */
function triedIn({ attempts }: Timed): Tried[] | null {
  const tried = attempts.flatMap(({ startedAfterMs: fromMs, latencyMs, error }, index) =>
    fromMs === undefined ? [] : [{ number: index + 1, failed: error !== null, fromMs, toMs: fromMs + latencyMs }],
  );
  if (tried.length === 0 || tried.length < attempts.length) return null;
  return tried.toSorted((one, other) => one.fromMs - other.fromMs);
}

/** A wait for the first token, and what came from then on. */
function answering({ startedAt, firstTokenAt }: Timed, waiting: string, fromMs: number, toMs: number): Span[] {
  const firstMs = firstTokenAt === null ? toMs : Math.min(Math.max(firstTokenAt - startedAt, fromMs), toMs);
  return [
    { kind: 'wait', name: waiting, fromMs, toMs: firstMs },
    { kind: 'answer', name: 'Answer', fromMs: firstMs, toMs },
  ];
}
