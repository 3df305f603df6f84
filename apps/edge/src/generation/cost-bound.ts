import { picoUsdFromDecimal } from '@tollgate/contracts';
import type { CatalogModel, PriceSheet } from '@tollgate/contracts/catalog';
import type { RequestSize } from './request-size';
import type { SentRequest } from './sent-request';

/**
 * How often tools are assumed to be used that the provider runs and charges apart, and how many machines for
 * programs.
 */
interface ToolUses {
  readonly uses: number;
  readonly sessions: number;
}

/** What is assumed of each tool of a provider whose caller sets no limit of its uses. */
const assumedUses = 10;
/** Types of tools that callers run themselves. */
const ofCallers: ReadonlySet<unknown> = new Set([undefined, 'function', 'custom']);

/**
 * What a request asks for of that, as far as it can be seen; of a body that a thread has parsed, by whether
 * it has tools at all.
 */
export function toolUses({ parsed, read }: Pick<SentRequest, 'parsed' | 'read'>): ToolUses {
  if (!isRecord(parsed))
    return read.needs.includes('tools') ? { uses: assumedUses, sessions: 1 } : { uses: 0, sessions: 0 };
  const tools = Array.isArray(parsed['tools']) ? parsed['tools'].filter(isRecord) : [];
  const hosted = tools.filter(({ type }) => !ofCallers.has(type));
  // Chat completions ask for the web in a field of their own:
  // https://platform.openai.com/docs/api-reference/chat/create
  const asked = parsed['web_search_options'] === undefined ? hosted : [...hosted, {}];
  return {
    uses: asked.reduce((sum, tool) => sum + usesOf(tool), 0),
    sessions: hosted.filter(({ type }) => /code|shell|container/.test(String(type))).length,
  };
}

/**
 * `max_uses` is Anthropic's: https://platform.claude.com/docs/en/agents-and-tools/tool-use/web-search-tool
 */
function usesOf({ max_uses: most }: Record<string, unknown>): number {
  return typeof most === 'number' && Number.isInteger(most) && most >= 0 ? Math.min(most, 1_000) : assumedUses;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

/** What the cost of a request depends on. `hasMedia`: there are images, recordings or files in it. */
export interface Costly extends RequestSize, ToolUses {
  readonly hasMedia: boolean;
}

type Rates = Pick<PriceSheet, 'input' | 'output'> & Partial<Omit<PriceSheet, 'input' | 'output'>>;

/**
 * Pico-dollars a token, at most, from so many input tokens on; `mediaInput`: where there is more than text in
 * it.
 */
interface Step {
  readonly above: number;
  readonly input: bigint;
  readonly output: bigint;
  readonly mediaInput: bigint;
}

/** The dearest that a price can be. `perRequest`, `perUse` and `perSession` in pico-dollars. */
interface Bound {
  readonly steps: readonly Step[];
  readonly perRequest: bigint;
  readonly perUse: bigint;
  readonly perSession: bigint;
}

const one = 1_000_000n;
const picosPerNano = 1_000n;
/** How the units begin that are charged for a machine that programs run on, by its size. */
const sessionUnit = 'codeSession';

/** A model of a snapshot never changes, and is asked of with each request. */
const bounds = new WeakMap<CatalogModel, Bound | null>();

/**
 * An upper bound of what a request costs, whichever of these models answers it, in whatever tier, region and
 * hour, with the markup of any of its places, and at the dearer price around the instant of another one.
 * Null: one of them has no price. What it does not hold is said
 * in docs/budgets.md.
 */
export function costBound(places: readonly CatalogModel[], costly: Costly): bigint | null {
  let most = 0n;
  for (const model of places) {
    let bound = bounds.get(model);
    if (bound === undefined) bounds.set(model, (bound = boundOf(model)));
    if (bound === null) return null;
    const picos = picosOf(bound, costly);
    if (picos > most) most = picos;
  }
  return (most + picosPerNano - 1n) / picosPerNano;
}

function picosOf({ steps, ...per }: Bound, { input, output, hasMedia, uses, sessions }: Costly): bigint {
  let [inputRate, outputRate] = [0n, 0n];
  for (const step of steps) {
    // What is only an estimate may be too high, so that the lower steps count as well.
    if (step.above >= input && step.above > 0) continue;
    inputRate = larger(inputRate, hasMedia ? step.mediaInput : step.input);
    outputRate = larger(outputRate, step.output);
  }
  const tokens = BigInt(input) * inputRate + BigInt(output) * outputRate;
  return tokens + per.perRequest + BigInt(uses) * per.perUse + BigInt(sessions) * per.perSession;
}

function boundOf({ prices, pricesBeside = [], deployments }: CatalogModel): Bound | null {
  if (prices === null) return null;
  const bound = [prices, ...pricesBeside].map((sheet) => boundAt(sheet, deployments));
  const most = (of: (one: Bound) => bigint): bigint => largest(bound.map(of));
  return {
    steps: bound.flatMap(({ steps }) => steps),
    perRequest: most(({ perRequest }) => perRequest),
    perUse: most(({ perUse }) => perUse),
    perSession: most(({ perSession }) => perSession),
  };
}

function boundAt(prices: PriceSheet, deployments: CatalogModel['deployments']): Bound {
  const { served = [], hours = [], units = {}, kinds = {} } = prices.terms ?? {};
  const others = served.flatMap(({ rates }) => rates ?? []);
  const ways = ['tier', 'speed', 'region'].map((on) =>
    dearest(served.filter((term) => term.on === on).map(({ factor = '1' }) => factor)),
  );
  const hour = dearest(hours.map(({ factor }) => factor));
  const markup = one + largest(deployments.map((place) => millionths(place.dearestMarkup ?? place.markup ?? '0')));
  const factor = [...ways, hour].reduce(times, markup);
  const steps = [prices, ...others].flatMap((rates) => [
    stepOf(rates, 0, kinds, factor),
    ...rates.longContext.map((tier) => stepOf(tier, tier.aboveInputTokens, kinds, factor)),
  ]);
  const perUnit = (isSession: boolean): bigint => {
    const alike = Object.entries(units).filter(([unit]) => unit.startsWith(sessionUnit) === isSession);
    return times(largest(alike.map(([, usd]) => picoUsdFromDecimal(usd))), markup);
  };
  return {
    steps,
    perRequest: times(picoUsdFromDecimal(prices.perRequest ?? '0'), markup),
    perUse: perUnit(false),
    perSession: perUnit(true),
  };
}

function stepOf(
  rates: Rates,
  above: number,
  kinds: NonNullable<NonNullable<PriceSheet['terms']>['kinds']>,
  factor: bigint,
): Step {
  const most = (...all: (string | null | undefined)[]): bigint =>
    times(largest(all.map((rate) => millionths(rate ?? '0'))), factor);
  const inputs = [rates.input, rates.cachedInput, rates.cacheWrite5m, rates.cacheWrite1h];
  return {
    above,
    input: most(...inputs),
    output: most(rates.output, rates.reasoning, rates.audioOutput, kinds.imageOutput),
    mediaInput: most(...inputs, rates.audioInput, kinds.imageInput, kinds.videoInput),
  };
}

/** A decimal string as millionths; a price of a million tokens in dollars so becomes pico-dollars a token. */
function millionths(decimal: string): bigint {
  return picoUsdFromDecimal(decimal) / one;
}

/** The largest of factors, but never less than one: it may not apply. */
function dearest(factors: readonly string[]): bigint {
  return larger(one, largest(factors.map(millionths)));
}

/** Rounded up. */
function times(amount: bigint, factor: bigint): bigint {
  return (amount * factor + one - 1n) / one;
}

function largest(amounts: readonly bigint[]): bigint {
  return amounts.reduce(larger, 0n);
}

function larger(a: bigint, b: bigint): bigint {
  return a > b ? a : b;
}
