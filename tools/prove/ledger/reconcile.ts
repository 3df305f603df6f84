import type { CatalogModel } from '@tollgate/contracts/catalog';
import { countBySample, surfaces } from '@tollgate/dialects/surface';
import { expectedPicoUsd } from '../../usage-table/expected-cost';
import type { Outcome } from '../exchange';
import type { LedgerRow } from '../simulated-provider';
import { clientSurfaces } from '../client-surface';
import { isUnpriced, nanoUsdOfUnits, sheetServed, underContract } from './billed-forms';
import { countInvoiced, noneInvoiced } from './invoiced';
import type { Invoiced } from './invoiced';
import type { StoredEvent } from './stored-events';

/** What three witnesses (the callers, the provider's books, the gateway's ledger) say of the same requests. */
export interface Reconciliation {
  requests: number;
  /** Requests that the provider booked at least one try of. */
  booked: number;
  events: number;
  /**
   * Events whose tokens a tokenizer had to count, because the answer was cut off before the provider told
   * them.
   */
  estimated: number;
  reportedByEdge: number;
  /** Events of nothing: their request was cut off before the provider got it. */
  unbooked: number;
  /**
   * Events of requests that failed without an answer, which cost their callers nothing, and what their input
   * is at the provider.
   */
  free: { events: number; inputTokens: number };
  /** Those of the free ones whose callers had left. */
  excused: number;
  /** Those of the free ones whose answer was thrown away on its way by the reset that ended it. */
  thrownAway: number;
  /** Those of the free ones whose instance died, and then their edge, before it had told what it saw. */
  untold: number;
  /** Without those of estimated events, and of those that are free. */
  inputTokens: { booked: number; billed: number };
  /** Without those of events that are free. */
  outputTokens: { booked: number; billed: number };
  invoiced: Invoiced;
  /** Events whose price nobody prints, as the provider's books say too. */
  unpriced: number;
  /**
   * By the provider's own price sheet, else by the prices of the catalog, calculated apart from the product,
   * and as billed.
   */
  nanoUsd: { expected: bigint; billed: bigint };
  /** A sentence for each disagreement. */
  problems: string[];
}

/**
 * Holds every event against the try that counts (others that the provider booked are ours to bear), and
 * against what the caller saw. Tokens must be the provider's; only the input of an estimated event
 * may be the tokenizer's count of the caller's own body instead, as the API says.
 * A request that failed and of which the provider wrote nothing must cost nothing.
 * No provider may have answered one twice, but where `mayBeAnsweredTwice`.
 */
export function reconcile(
  outcomes: readonly Outcome[],
  rows: readonly LedgerRow[],
  events: readonly StoredEvent[],
  models: readonly CatalogModel[],
  mayBeAnsweredTwice: (outcome: Outcome) => boolean = () => false,
): Reconciliation {
  const tries = groupBy(rows, ({ requestId }) => requestId);
  const eventsOf = groupBy(events, ({ request_id }) => request_id);
  const result: Reconciliation = {
    requests: outcomes.length,
    booked: tries.size,
    events: events.length,
    estimated: events.filter(({ estimated }) => estimated).length,
    unbooked: events.filter((event) => !tries.has(event.request_id) && !isBilled(event)).length,
    reportedByEdge: events.filter(({ reported_by }) => reported_by === 'edge').length,
    free: { events: 0, inputTokens: 0 },
    excused: 0,
    thrownAway: 0,
    untold: 0,
    inputTokens: { booked: 0, billed: 0 },
    outputTokens: { booked: 0, billed: 0 },
    invoiced: { ...noneInvoiced },
    unpriced: 0,
    nanoUsd: { expected: 0n, billed: 0n },
    problems: [],
  };
  const known = new Set(outcomes.map(({ request }) => request.id));
  for (const id of new Set([...tries.keys(), ...eventsOf.keys()]))
    if (!known.has(id)) result.problems.push(`${id}: nobody sent this`);
  for (const outcome of outcomes) {
    const { id } = outcome.request;
    const own = tries.get(id) ?? [];
    const problems = examine(result, outcome, own, eventsOf.get(id) ?? [], models);
    if (isAnsweredTwice(own) && !mayBeAnsweredTwice(outcome)) problems.push('the provider answered it twice');
    result.problems.push(...problems.map((problem) => `${id} (${describe(outcome)}): ${problem}`));
  }
  const left = outcomes.filter(({ state }) => state === 'left').length;
  if (result.excused > Math.ceil(left * mostExcused))
    result.problems.push(
      `${result.excused} of ${left} requests whose callers left cost nothing, though the provider began them`,
    );
  const resets = rows.filter(({ fault }) => fault === throwsAway).length;
  if (result.thrownAway > Math.ceil(resets * mostThrownAway))
    result.problems.push(`of ${result.thrownAway} of ${resets} answers that ended with a reset nothing was read`);
  const cutOff = outcomes.filter(({ state }) => state !== 'complete').length;
  if (result.untold > Math.ceil(cutOff * mostExcused))
    result.problems.push(`of ${result.untold} of ${cutOff} that were cut off nobody could tell what was used`);
  return result;
}

/**
 * A request that failed, and of which nothing was written, costs its caller nothing, whatever it costs at the
 * provider. Who left pays, unless the way to that caller was lost before the gateway heard of it: then it
 * failed by the gateway's fault. So did one whose instance and edge both died, whoever had left by then:
 * nobody knows that, nor what had been answered.
 */
function isFree(outcome: Outcome, row: LedgerRow, event: StoredEvent): boolean {
  const { state } = outcome;
  if (event.is_of_the_dead) return state !== 'complete';
  if (row.outputTokens > 0) return wasThrownAway(outcome, row, event);
  return state === 'failed' || (state === 'left' && event.state === 'cancelled' && !isBilled(event));
}

/**
 * A reset throws away what its receiver has not read yet. The provider waits for that before it resets, but
 * an instance that is frozen meanwhile reads nothing: neither it nor the caller can know of those words, and
 * nobody pays for them.
 */
function wasThrownAway({ state, content }: Outcome, { fault }: LedgerRow, event: StoredEvent): boolean {
  return fault === throwsAway && state === 'failed' && content === '' && !isBilled(event);
}

const throwsAway = 'reset_mid';

/**
 * The one that a whole answer came from, else the last. Where an instance is late, another is asked, too:
 * both may begin, in either order, and whose answer is not needed is cut off.
 */
function tryThatCounts({ state }: Outcome, tries: readonly LedgerRow[]): LedgerRow | undefined {
  const answered = state === 'complete' ? tries.findLast((row) => row.state === 'completed') : undefined;
  return answered ?? tries.at(-1);
}

/** Whether the provider answered more than one of these tries of a request. */
export function isAnsweredTwice(tries: readonly LedgerRow[]): boolean {
  return tries.filter(({ state }) => state === 'completed').length > 1;
}

/** A way that was lost, a freeze and two deaths excuse few of those whom they may befall: one in fifty. */
const mostExcused = 0.02;

/**
 * A reset has the system throw away what its reader did not come to: the more of them, the slower the machine
 * (7 of 174 where it ran at two fifths of its usual speed).
 */
const mostThrownAway = 0.1;

function examine(
  result: Reconciliation,
  outcome: Outcome,
  tries: readonly LedgerRow[],
  events: readonly StoredEvent[],
  models: readonly CatalogModel[],
): string[] {
  const [event, second] = events;
  const last = tryThatCounts(outcome, tries);
  if (!event) return last ? [`the provider booked ${describeRow(last)}, and there is no event`] : [];
  if (second) return [`there are ${events.length} events`];
  const problems: string[] = [];
  if (!last && isBilled(event))
    problems.push(`there is an event (${describeEvent(event)}), and the provider has no row`);
  if (outcome.state === 'complete' && event.state !== 'completed') problems.push(`the event says ${event.state}`);
  if (outcome.state === 'complete' && last?.kind === 'generation' && wordsIn(outcome.content) !== wordTokens(last))
    problems.push(`the caller got ${wordsIn(outcome.content)} of ${wordTokens(last)} tokens, as a whole answer`);
  if (event.other_kinds !== 0) problems.push(`${event.other_kinds} tokens are of kinds that nobody asked for`);
  const free = last !== undefined && isFree(outcome, last, event);
  if (free && isBilled(event)) problems.push(`its caller got nothing, and is billed ${describeEvent(event)}`);
  if (last && !free && !hasTokensOf(event, last, outcome))
    problems.push(`the provider booked ${describeRow(last)}; the event says ${describeEvent(event)}`);
  if (last && !free) problems.push(...wrongTerms(event, last, outcome));
  const invoiced = last && !free && !event.estimated ? last.picoUsd : null;
  if (last && invoiced !== null) countInvoiced(result.invoiced, last, event);
  const picos = invoiced ?? costOf(event, models);
  const expected = picos === null ? null : rounded(underContract(event.model, picos));
  if (event.cost_nano_usd !== expected) problems.push(`it costs ${expected}, and is billed ${event.cost_nano_usd}`);
  if (expected === null) result.unpriced += 1;
  const { toldNanoUsd: told } = event.served;
  if (told !== null && told !== expected)
    problems.push(`the provider charges ${told} by its own words, not ${expected}`);
  if (free) {
    result.free.events += 1;
    result.free.inputTokens += last.inputTokens;
    if (event.is_of_the_dead) result.untold += 1;
    else if (outcome.state === 'left') result.excused += 1;
    else if (last.outputTokens > 0) result.thrownAway += 1;
  } else if (!event.estimated && last) result.inputTokens.booked += bookedTokens(last).input;
  if (last && !free) result.outputTokens.booked += event.estimated ? wordTokens(last) : bookedTokens(last).output;
  if (!event.estimated) result.inputTokens.billed += event.input_tokens;
  result.outputTokens.billed += event.output_tokens;
  result.nanoUsd.expected += expected ?? 0n;
  result.nanoUsd.billed += event.cost_nano_usd ?? 0n;
  return problems;
}

/** The simulated provider's answers are words and marks behind them, each of which is a token. */
function wordsIn(text: string): number {
  return text.match(/[^\s.,:]+|[.,:]/g)?.length ?? 0;
}

/** An attempt that ended before its request left us is an event too, of nothing. */
function isBilled({ input_tokens, output_tokens, cost_nano_usd }: StoredEvent): boolean {
  return input_tokens > 0 || output_tokens > 0 || cost_nano_usd !== 0n;
}

/** The output without its sound, which no tokenizer can count: an answer that was cut off costs its words. */
function wordTokens({ outputTokens, audioOutputTokens }: LedgerRow): number {
  return outputTokens - audioOutputTokens;
}

/** All tokens of a request: also of what was sampled beside its answer. */
function bookedTokens({ inputTokens, outputTokens, samplings }: LedgerRow): { input: number; output: number } {
  const sum = (side: 'inputTokens' | 'outputTokens') => samplings.reduce((total, one) => total + one[side], 0);
  return { input: inputTokens + sum('inputTokens'), output: outputTokens + sum('outputTokens') };
}

/** An answer that was cut off had not told yet what was sampled beside it. */
function hasTokensOf(event: StoredEvent, row: LedgerRow, { request }: Outcome): boolean {
  const all = bookedTokens(row);
  if (event.output_tokens === all.output && event.input_tokens === all.input) return true;
  if (!event.estimated || event.output_tokens !== wordTokens(row)) return false;
  return event.input_tokens === row.inputTokens || estimatedInputs(request).includes(event.input_tokens);
}

/** By tokenizer: of the whole request, and of a large one by samples, as the gateway counts it. */
function estimatedInputs({ surface, model, prompt, stream, beside }: Outcome['request']): number[] {
  const dialect = surfaces.find(({ name }) => name === surface);
  if (!dialect) return [];
  const body = { ...clientSurfaces[surface].body(model, prompt, stream), ...beside?.members };
  const count = (): number => dialect.countInputTokens(body);
  return [count(), countBySample(Buffer.byteLength(JSON.stringify(body)), count)];
}

/** Pico-dollars by the catalog's prices, without the operator's contract; null: nobody prints a price. */
function costOf(
  { model: id, input_tokens, output_tokens, state, served, ...kinds }: StoredEvent,
  models: readonly CatalogModel[],
): bigint | null {
  // An image whose tokens were not told counts as an image, which has no price.
  if (isUnpriced(id, served.words) || served.units.imageGeneration) return null;
  const { prices: sheet = null } = models.find((model) => model.id === id) ?? {};
  if (!sheet) return -1_000n;
  const cache = { cached: kinds.cached_input, write5m: kinds.cache_write_5m, write1h: kinds.cache_write_1h };
  const { audio_input: audioIn, audio_output: audioOut } = kinds;
  const fresh = input_tokens - cache.cached - cache.write5m - cache.write1h - audioIn;
  const perRequest = state === 'completed' || input_tokens + output_tokens > 0 ? sheet.perRequest : null;
  return (
    expectedPicoUsd(
      { ...sheetServed({ id, prices: sheet }, served.words), perRequest },
      { ...cache, fresh, text: output_tokens - audioOut, audioIn, reasoning: 0, audioOut },
    ) +
    nanoUsdOfUnits(id, served.units) * 1_000n
  );
}

/**
 * A sentence for each term of the charge that the ledger has otherwise than the provider's books. An answer
 * that was cut off may not have told all: its event may lack words, uses of tools and samplings, and have the
 * tokenizer's count of the input without what a cache did. But a caller who left in the middle of a text had
 * seen what came before it, and so had the instance that reports it.
 */
function wrongTerms({ served, estimated, ...event }: StoredEvent, row: LedgerRow, outcome: Outcome): string[] {
  const problems: string[] = [];
  const isTold =
    !estimated || (outcome.state === 'left' && outcome.content !== '' && event.reported_by === 'inference');
  const known = row.served.filter((word) => served.words.includes(word));
  if (served.words.length > known.length || (isTold && known.length < row.served.length))
    problems.push(`it was served at ${row.served.join(', ')}, and the event says ${served.words.join(', ')}`);
  for (const unit of new Set([...Object.keys(row.units), ...Object.keys(served.units)])) {
    // Told beside the searches of Google's; it has no price where they have one.
    if (unit === 'groundedPrompt') continue;
    const [used = 0, told = 0] = [row.units[unit], served.units[unit]];
    // An answer that was cut off behind its image had not told what that took: the books have its tokens.
    if (unit === 'imageGeneration' && estimated && told === 1) continue;
    if (told > used || (isTold && told < used))
      problems.push(`the provider used ${unit} ${used} times, and the event says ${told}`);
  }
  const parts = row.samplings.length + (row.answeredBy === null ? 0 : 1);
  if (served.parts.length > parts || (!estimated && served.parts.length < parts))
    problems.push(`${parts} samplings are charged apart, and the event says ${served.parts.length}`);
  const booked = [row.cacheReadTokens, row.cacheWriteTokens - row.cacheWrite1hTokens, row.cacheWrite1hTokens].join();
  const kept = [event.cached_input, event.cache_write_5m, event.cache_write_1h].join();
  const [heard, spoke] = [row.audioInputTokens, row.audioOutputTokens];
  if (!estimated && (event.audio_input !== heard || event.audio_output !== spoke))
    problems.push(
      `it heard ${heard} and spoke ${spoke}, and the event says ${event.audio_input}, ${event.audio_output}`,
    );
  const { image, video } = row.seen;
  if (!estimated && (served.seen.image !== image || served.seen.video !== video))
    problems.push(`it saw ${image}, ${video}, and the event says ${served.seen.image}, ${served.seen.video}`);
  if (kept !== booked && !(estimated && kept === '0,0,0'))
    problems.push(`the cache gave and took ${booked}, and the event says ${kept}`);
  return problems;
}

/** Whole nano-dollars of pico-dollars, a half upwards. */
function rounded(picos: bigint): bigint {
  return (picos + 500n) / 1_000n;
}

function groupBy<Item>(items: readonly Item[], keyOf: (item: Item) => string): Map<string, Item[]> {
  const groups = new Map<string, Item[]>();
  for (const item of items) {
    const group = groups.get(keyOf(item));
    if (group) group.push(item);
    else groups.set(keyOf(item), [item]);
  }
  return groups;
}

function describe({ request, state, reason }: Outcome): string {
  return `${request.surface} to ${request.model}, ${request.kind}, ${state} ${reason.slice(0, 120)}`.trim();
}

function describeRow({ inputTokens, outputTokens, state, fault }: LedgerRow): string {
  return `${inputTokens} + ${outputTokens} (${state}, ${fault ?? 'no fault'})`;
}

function describeEvent(event: StoredEvent): string {
  const { input_tokens, output_tokens, state, status, reported_by, estimated } = event;
  return `${input_tokens} + ${output_tokens} (${state}, ${status}, by ${reported_by}${estimated ? ', estimated' : ''})`;
}
