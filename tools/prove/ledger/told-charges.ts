import { decimalFromNanoUsd } from '@tollgate/contracts';
import type { Outcome } from '../exchange';
import type { StoredEvent } from './stored-events';

const header = 'x-tollgate-cost';
/** What is told of an answer whose price nobody could say in time: its charge does not depend on that. */
const unavailable = 'unavailable';

/** In which of the ways that there are a whole answer was told what it costs. */
type ToldWay = 'plain' | 'streamed' | 'byHeader' | 'byKey' | 'kept';

/**
 * How many whole answers told what the ledger has as their charge, in which way; how many of them said
 * `unpriced`, and how many `unavailable` instead. `kept`: those that were to tell nothing, and told nothing.
 */
export type ToldCharges = Record<ToldWay | 'unpriced' | 'unavailable', number>;

export const noneTold: ToldCharges = {
  ...{ plain: 0, streamed: 0, byHeader: 0, byKey: 0, kept: 0 },
  ...{ unpriced: 0, unavailable: 0 },
};

/**
 * How a request of the load says whether it wants to be told its charge. A third leaves it to the key, which
 * wants it.
 */
export function wishFor(number: number): Record<string, string> {
  const wish = ['on', null, 'off'][Math.floor(number / 20) % 3];
  return wish == null ? {} : { [header]: wish };
}

/**
 * A sentence for each charge that a caller was told and that is not the ledger's, was told to who did not
 * want it, or is missing from a whole answer. Counts the others.
 */
export function wrongTold(told: ToldCharges, outcome: Outcome, event: StoredEvent): string[] {
  const { costs, request, state } = outcome;
  const wish = request.beside?.headers[header];
  if (wish === 'off') {
    if (costs.length === 0 && state === 'complete') told.kept += 1;
    return costs.length === 0 ? [] : [`it was told ${costs.join(', ')}, and did not want it`];
  }
  const { cost_nano_usd: kept } = event;
  const charge = kept === null ? 'unpriced' : decimalFromNanoUsd(kept);
  const wrong = costs.filter((cost) => cost !== charge && cost !== unavailable);
  if (wrong.length > 0) return [`its caller was told ${wrong.join(', ')}, and the ledger has ${charge}`];
  if (state !== 'complete') return [];
  if (costs.length !== 1) return [`its caller was told its charge ${costs.length} times`];
  if (costs[0] === unavailable) {
    told.unavailable += 1;
    return [];
  }
  told[request.stream ? 'streamed' : 'plain'] += 1;
  told[wish === undefined ? 'byKey' : 'byHeader'] += 1;
  if (kept === null) told.unpriced += 1;
  return [];
}

/** Whether each way was seen, and few answers had nobody who could tell their charge. */
export function sawEveryWay({ unavailable: missed, ...ways }: ToldCharges): boolean {
  return Object.values(ways).every((count) => count > 0) && missed <= (ways.plain + ways.streamed) * mostUnavailable;
}

/**
 * Every service that can tell is killed, frozen and restarted in turn, and so is their database: one in five.
 * Of 10,000 requests with 12 strikes it were 2.6 % (2026-11-26).
 */
const mostUnavailable = 0.2;

/** What was seen, in words. */
export function toldInWords({
  plain,
  streamed,
  byHeader,
  byKey,
  kept,
  unpriced,
  unavailable: missed,
}: ToldCharges): string {
  return `${plain + streamed} whole answers told their charge, which is the ledger’s: ${plain} in a header, ${streamed} in an event, ${byHeader} as the request asked and ${byKey} as its key is set, ${unpriced} as unpriced; ${missed} said that nobody could tell it just then; ${kept} were asked to tell nothing, and told nothing.`;
}
