import type { Outcome } from '../exchange';
import { Balancer } from '../balancer';
import { Traffic } from '../restarts/traffic';

const mostShown = 10;

export interface TrafficResult {
  requests: number;
  streams: number;
  /** Requests that were not answered in full, and what their callers saw. */
  failed: { id: string; what: string }[];
}

/** Sends plain requests and streams through the proxy while something is done. */
export async function underTraffic(
  baseUrl: string,
  apiKey: string,
  perSecond: number,
  act: () => Promise<void>,
): Promise<TrafficResult> {
  const traffic = new Traffic(new Balancer([baseUrl]), apiKey, perSecond);
  traffic.start();
  try {
    await act();
  } finally {
    await traffic.stop();
  }
  const { outcomes } = traffic;
  return {
    requests: outcomes.length,
    streams: outcomes.filter(({ request }) => request.stream).length,
    failed: outcomes
      .filter(isFailed)
      .map(({ request, state, reason }) => ({ id: request.id, what: `${state}, ${reason.slice(0, 200)}` })),
  };
}

function isFailed({ state, content }: Outcome): boolean {
  return state !== 'complete' || content === '';
}

/** @throws Error when a request failed, with how often each thing was seen, the most frequent first. */
export function sayTraffic({ requests, streams, failed }: TrafficResult): string {
  if (requests === 0) throw new Error('no request was sent');
  if (failed.length > 0) throw new Error(`${failed.length} of ${requests} requests failed:\n${kinds(failed)}`);
  return `${requests} requests meanwhile, ${streams} of them streams, 0 failed`;
}

/**
 * Of all that was sent, what was answered in full is in the ledger, once; what failed may be in it, for what
 * it cost until then.
 * @throws Error where the ledger has fewer events or more.
 */
export function sayBilled(events: number, sent: readonly TrafficResult[]): string {
  const requests = sent.reduce((sum, one) => sum + one.requests, 0);
  const failed = sent.reduce((sum, one) => sum + one.failed.length, 0);
  if (events > requests || events < requests - failed)
    throw new Error(`${events} events in the ledger, of ${requests} requests, ${failed} of them failed`);
  return `${events} events in the ledger, of ${requests} requests, ${failed} of them failed`;
}

function kinds(failed: TrafficResult['failed']): string {
  const ids = new Map<string, string[]>();
  for (const { id, what } of failed) {
    const kind = what.replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}/g, '…');
    ids.set(kind, [...(ids.get(kind) ?? []), id]);
  }
  return [...ids]
    .sort(([, one], [, other]) => other.length - one.length)
    .slice(0, mostShown)
    .map(([what, those]) => `${those.length} x ${what} (the first ${those[0]}, the last ${those.at(-1)})`)
    .join('\n');
}
