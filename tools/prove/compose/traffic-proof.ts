import type { Outcome } from '../exchange';
import { Balancer } from '../balancer';
import { Traffic } from '../restarts/traffic';

const mostShown = 10;

export interface TrafficResult {
  requests: number;
  streams: number;
  /** A sentence for each request that was not answered in full. */
  failed: string[];
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
      .map(({ request, state, reason }) => `${request.id}: ${state}, ${reason.slice(0, 200)}`),
  };
}

function isFailed({ state, content }: Outcome): boolean {
  return state !== 'complete' || content === '';
}

/** @throws Error when a request failed. */
export function sayTraffic({ requests, streams, failed }: TrafficResult): string {
  if (requests === 0) throw new Error('no request was sent');
  if (failed.length > 0)
    throw new Error(`${failed.length} of ${requests} requests failed:\n${failed.slice(0, mostShown).join('\n')}`);
  return `${requests} requests meanwhile, ${streams} of them streams, 0 failed`;
}
