import { decimalFromNanoUsd } from '@tollgate/contracts';
import type { Outcome } from '../exchange';
import type { StoredEvent } from './stored-events';

const header = 'x-tollgate-cost';
/** What is told of an answer whose price nobody could say in time: its charge does not depend on that. */
const unavailable = 'unavailable';
/**
 * Every service that can tell is killed, frozen and restarted in turn, and so is their database: one in five.
 * Of 10,000 requests with 12 strikes it were 2.6 % (2026-11-26).
 */
const mostUnavailable = 0.2;

/** In which of the ways that there are a whole answer was told what it costs. */
type ToldWay = 'plain' | 'streamed' | 'byHeader' | 'byKey' | 'kept';

/**
 * How many whole answers told what the ledger has as their charge, in which way; how many of them said
 * `unpriced`, and how many `unavailable` instead. `kept`: those that were to tell nothing, and told nothing.
 */
export type ToldCharges = Record<ToldWay | 'unpriced' | 'unavailable', number>;

/** What callers were told of their charges, and a sentence for each time that it was wrong. */
export interface ToldAudit {
  told: ToldCharges;
  problems: string[];
}

/**
 * How a request of the load says whether it wants to be told its charge. A third leaves it to the key, which
 * wants it.
 */
export function wishFor(number: number): Record<string, string> {
  const wish = ['on', null, 'off'][Math.floor(number / 20) % 3];
  return wish == null ? {} : { [header]: wish };
}

/**
 * Holds what callers were told of their charges against the ledger. A request without an event is the
 * business of other judges. `keyTells`: whether the key of the load asks for charges to be told.
 */
export function auditTold(outcomes: readonly Outcome[], events: readonly StoredEvent[], keyTells: boolean): ToldAudit {
  const kept = new Map(events.map((event) => [event.request_id, event.cost_nano_usd]));
  const told: ToldCharges = {
    ...{ plain: 0, streamed: 0, byHeader: 0, byKey: 0, kept: 0 },
    ...{ unpriced: 0, unavailable: 0 },
  };
  const problems = outcomes.flatMap((outcome) => {
    const { id } = outcome.request;
    const charge = kept.get(id);
    const problem = charge === undefined ? null : wrongTold(told, outcome, charge, keyTells);
    return problem === null ? [] : [`${id} (${outcome.request.surface} to ${outcome.request.model}): ${problem}`];
  });
  return { told, problems };
}

/**
 * What is wrong where a caller was told a charge that is not the ledger's, or one that it did not want, or
 * none with a whole answer; else it is counted. `charge` in nano-dollars; null: it has no price.
 */
function wrongTold(told: ToldCharges, outcome: Outcome, charge: bigint | null, keyTells: boolean): string | null {
  const { costs, request, state } = outcome;
  const wish = request.beside?.headers[header];
  if (wish === 'off' || (wish === undefined && !keyTells)) {
    if (costs.length > 0) return `it was told ${costs.join(', ')}, and did not want it`;
    if (state === 'complete') told.kept += 1;
    return null;
  }
  const due = charge === null ? 'unpriced' : decimalFromNanoUsd(charge);
  const wrong = costs.filter((cost) => cost !== due && cost !== unavailable);
  if (wrong.length > 0) return `its caller was told ${wrong.join(', ')}, and the ledger has ${due}`;
  if (state !== 'complete') return null;
  if (costs.length !== 1) return `its caller was told its charge ${costs.length} times`;
  if (costs[0] === unavailable) {
    told.unavailable += 1;
    return null;
  }
  told[request.stream ? 'streamed' : 'plain'] += 1;
  told[wish === undefined ? 'byKey' : 'byHeader'] += 1;
  if (charge === null) told.unpriced += 1;
  return null;
}

/** Whether each way was seen, and few answers had nobody who could tell their charge. */
export function sawEveryWay({ unavailable: missed, ...ways }: ToldCharges): boolean {
  return Object.values(ways).every((count) => count > 0) && missed <= (ways.plain + ways.streamed) * mostUnavailable;
}

/** What was seen, in words. */
export function toldInWords({ plain, streamed, unavailable: missed, ...ways }: ToldCharges): string {
  return `${plain + streamed} whole answers told their charge, which is the ledger’s: ${plain} in a header, ${streamed} in an event, ${ways.byHeader} as the request asked and ${ways.byKey} as its key is set, ${ways.unpriced} as unpriced; ${missed} said that nobody could tell it just then; ${ways.kept} were asked to tell nothing, and told nothing.`;
}
