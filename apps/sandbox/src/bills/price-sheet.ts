/** Who sells the models of a row. */
export type Seller = 'openai' | 'anthropic' | 'google' | 'openrouter' | 'xai' | 'perplexity';

/** US dollars for each use, whatever tier or speed serves the tokens. */
type UnitPrices = Readonly<Record<string, number>>;

/**
 * US dollars per million tokens, as the seller prints them. `above`: the size of a prompt beyond which the
 * whole request costs `rates` instead.
 */
interface PrintedPrice {
  seller: Seller;
  input: number;
  output: number;
  cachedInput: number;
  cacheWrite5m?: number;
  cacheWrite1h?: number;
  audioInput?: number;
  audioOutput?: number;
  /** US dollars for a request, whatever else it used. */
  perRequest?: number;
  above?: Pick<PrintedPrice, 'input' | 'output' | 'cachedInput' | 'cacheWrite5m' | 'cacheWrite1h'> & { tokens: number };
  /** What every rate is multiplied by for the way in which a request was served. */
  factors?: Readonly<Record<string, number>>;
  /** Where it is not what the seller's other models cost, US dollars for a use. */
  units?: UnitPrices;
}

/**
 * What the simulated sellers charge: a sheet of their own, copied by hand from the pages named here and from
 * nothing of the gateway, so that a price that is wrong there is found. A model that is not in it is charged
 * nothing, and stands in no bill.
 */
const prices: Readonly<Record<string, PrintedPrice>> = {
  // https://developers.openai.com/api/docs/pricing; priority and flex: https://openai.com/api-fast-mode/
  // https://developers.openai.com/api/docs/guides/flex-processing
  'gpt-6.2-sol': {
    ...{ seller: 'openai', input: 2, output: 10, cachedInput: 0.1, factors: { priority: 2 } },
    ...{ cacheWrite5m: 2.5, cacheWrite1h: 5 },
    above: { tokens: 272_000, input: 4, output: 15, cachedInput: 0.2, cacheWrite5m: 5, cacheWrite1h: 10 },
  },
  'gpt-6-luna': {
    ...{ seller: 'openai', input: 0.1, output: 0.5, cachedInput: 0.01, factors: { priority: 2, flex: 0.5 } },
    cacheWrite5m: 0.125,
    above: { tokens: 272_000, input: 0.2, output: 0.75, cachedInput: 0.02, cacheWrite5m: 0.25 },
  },
  'gpt-5.5': {
    ...{ seller: 'openai', input: 5, output: 30, cachedInput: 0.5, factors: { priority: 2.5, flex: 0.5 } },
    above: { tokens: 272_000, input: 10, output: 45, cachedInput: 1 },
  },
  // https://lilting.ch/en/articles/openai-gpt55-api-release and
  // https://www.benchr.org/articles/gpt-5-5-pricing-explained: there is no price for what its cache has.
  'gpt-5.5-pro': {
    ...{ seller: 'openai', input: 30, output: 180, cachedInput: 30 },
    above: { tokens: 272_000, input: 60, output: 270, cachedInput: 60 },
  },
  'gpt-5.4-pro': {
    ...{ seller: 'openai', input: 30, output: 180, cachedInput: 30 },
    above: { tokens: 272_000, input: 60, output: 270, cachedInput: 60 },
  },
  'gpt-5.4': {
    ...{ seller: 'openai', input: 2.5, output: 15, cachedInput: 0.25, factors: { priority: 2, flex: 0.5 } },
    above: { tokens: 272_000, input: 5, output: 22.5, cachedInput: 0.5 },
  },
  'gpt-5.4-mini': {
    ...{ seller: 'openai', input: 0.75, output: 4.5, cachedInput: 0.075, factors: { priority: 2, flex: 0.5 } },
  },
  'gpt-5.2': { seller: 'openai', input: 1.75, output: 14, cachedInput: 0.175, factors: { priority: 2, flex: 0.5 } },
  // https://developers.openai.com/api/docs/models/gpt-audio-1.5
  'gpt-audio-1.5': { seller: 'openai', input: 2.5, output: 10, cachedInput: 2.5, audioInput: 32, audioOutput: 64 },
  // https://developers.openai.com/api/docs/pricing#embeddings
  'text-embedding-3-small': { seller: 'openai', input: 0.02, output: 0, cachedInput: 0.02 },
  'text-embedding-3-large': { seller: 'openai', input: 0.13, output: 0, cachedInput: 0.13 },
  // https://platform.claude.com/docs/en/about-claude/pricing; fast and us:
  // https://platform.claude.com/docs/en/build-with-claude/fast-mode
  // https://platform.claude.com/docs/en/build-with-claude/data-residency
  'claude-fable-5-2': {
    ...{ seller: 'anthropic', input: 8, output: 40, cachedInput: 0.2, cacheWrite5m: 10, cacheWrite1h: 16 },
    factors: { fast: 2, us: 1.1, batch: 0.5 },
  },
  'claude-opus-5-5': {
    ...{
      seller: 'anthropic',
      input: 4,
      output: 20,
      cachedInput: 0.2,
      cacheWrite5m: 5,
      cacheWrite1h: 8,
      factors: { fast: 2, us: 1.1, batch: 0.5 },
    },
  },
  'claude-opus-5': {
    ...{
      seller: 'anthropic',
      input: 5,
      output: 25,
      cachedInput: 0.5,
      cacheWrite5m: 6.25,
      cacheWrite1h: 10,
      factors: { fast: 2, us: 1.1, batch: 0.5 },
    },
  },
  'claude-sonnet-5': {
    ...{
      seller: 'anthropic',
      input: 2,
      output: 10,
      cachedInput: 0.2,
      cacheWrite5m: 2.5,
      cacheWrite1h: 4,
      factors: { us: 1.1 },
    },
  },
  // https://platform.claude.com/docs/en/models/haiku-5-5/overview
  'claude-haiku-5-5': {
    ...{ seller: 'anthropic', input: 0.1, output: 0.5, cachedInput: 0.01, cacheWrite5m: 0.125, cacheWrite1h: 0.2 },
    above: { tokens: 100_000, input: 0.5, output: 2.5, cachedInput: 0.05, cacheWrite5m: 0.625, cacheWrite1h: 1 },
  },
  'claude-haiku-4-5-20251001': {
    seller: 'anthropic',
    input: 1,
    output: 5,
    cachedInput: 0.1,
    cacheWrite5m: 1.25,
    cacheWrite1h: 2,
  },
  // https://openrouter.ai/openai/gpt-5.2
  'openai/gpt-5.2': { seller: 'openrouter', input: 1.75, output: 14, cachedInput: 0.175 },
  // https://docs.x.ai/developers/models
  'grok-4.6': { seller: 'xai', input: 2, output: 6, cachedInput: 0.5 },
  // https://docs.perplexity.ai/docs/getting-started/pricing
  sonar: {
    ...{ seller: 'perplexity', input: 1, output: 1, cachedInput: 1, perRequest: 0.005 },
    units: { mediumSearchContext: 0.003, highSearchContext: 0.007 },
  },
  // https://ai.google.dev/gemini-api/docs/pricing
  'gemini-3.1-flash-lite': { seller: 'google', input: 0.25, output: 1.5, cachedInput: 0.025, audioInput: 0.5 },
  'gemini-3.8-flash': {
    ...{ seller: 'google', input: 0.75, output: 3.75, cachedInput: 0.075, factors: { priority: 1.8, flex: 0.5 } },
  },
  'gemini-2.5-flash-lite': {
    ...{ seller: 'google', input: 0.1, output: 0.4, cachedInput: 0.01, factors: { priority: 1.8 } },
    // Charged by the prompt that was grounded.
    units: { webSearch: 0.035 },
  },
  'gemini-embedding-001': { seller: 'google', input: 0.15, output: 0, cachedInput: 0.15 },
  'gemini-embedding-2': { seller: 'google', input: 0.2, output: 0, cachedInput: 0.2 },
};

/**
 * Tokens of one sampling by what is charged, uses of the seller's tools, and how it was served. `input` is
 * what came from no cache and went to none.
 */
export interface BookedUse {
  input: number;
  cachedInput: number;
  cacheWrite5m: number;
  cacheWrite1h: number;
  audioInput: number;
  output: number;
  audioOutput: number;
  units: Readonly<Record<string, number>>;
  /** Words of tiers, speeds and regions; what has no factor is as usual. */
  served: readonly string[];
}

const tokenKinds = [
  ...(['input', 'cachedInput', 'cacheWrite5m', 'cacheWrite1h', 'audioInput'] as const),
  ...(['output', 'audioOutput'] as const),
] as const;
export type TokenKind = (typeof tokenKinds)[number];
/**
 * Pico-dollars by kind of tokens, by name of what is charged by the use, and of the `request`; what was not
 * used is absent.
 */
export type Charge = Readonly<Record<string, bigint>>;

export function isTokenKind(kind: string): kind is TokenKind {
  return tokenKinds.some((name) => name === kind);
}

export const noUse: BookedUse = {
  input: 0,
  cachedInput: 0,
  cacheWrite5m: 0,
  cacheWrite1h: 0,
  audioInput: 0,
  output: 0,
  audioOutput: 0,
  units: {},
  served: [],
};

/**
 * A container is charged as one of a gigabyte for twenty minutes, since an answer tells no more of it.
 * https://developers.openai.com/api/docs/pricing#built-in-tools
 * https://platform.claude.com/docs/en/about-claude/pricing#web-search-tool
 * https://ai.google.dev/gemini-api/docs/pricing
 */
const unitPrices: Readonly<Record<Seller, UnitPrices>> = {
  openai: {
    ...{ webSearch: 0.01, fileSearch: 0.0025, codeSession: 0.03 },
    // Tokens of the model that makes images, each: https://www.llmreference.com/model/gpt-image-2/openai-api
    ...{ 'gpt-image-2 text input': 0.000_005, 'gpt-image-2 image output': 0.000_03 },
  },
  anthropic: { webSearch: 0.01, webFetch: 0, codeExecution: 0 },
  google: { webSearch: 0.014 },
  openrouter: {},
  // https://docs.x.ai/developers/pricing: a search on X by the posts that it fetched.
  xai: { webSearch: 0.005, xSearch: 0, xPost: 0.005, codeExecution: 0.005, fileSearch: 0.0025 },
  perplexity: {},
};

/** Who sells this model; null: nobody whose prices are known here. */
export function sellerOf(model: string): Seller | null {
  return prices[model]?.seller ?? null;
}

/**
 * What a sampling is charged. Null: the model has no price here, or a tool that it used, or the tier that
 * served it.
 */
export function chargeOf(model: string, use: BookedUse): Charge | null {
  const price = prices[model];
  if (!price || use.served.some((word) => isByContract(price.seller, word))) return null;
  const prompt = use.input + use.cachedInput + use.cacheWrite5m + use.cacheWrite1h + use.audioInput;
  const rates = price.above && prompt > price.above.tokens ? { ...price, ...price.above } : price;
  const charge: Record<string, bigint> = {};
  for (const kind of tokenKinds)
    if (use[kind] > 0) {
      // A million of what is printed is a whole number: no page prints more than six places.
      const usual = kind === 'audioOutput' ? rates.output : rates.input;
      let rate = BigInt(Math.round((rates[kind] ?? usual) * 1_000_000));
      for (const word of use.served) {
        const factor = BigInt(Math.round((price.factors?.[word] ?? 1) * 1_000_000));
        rate = (rate * factor + 500_000n) / 1_000_000n;
      }
      charge[kind] = rate * BigInt(use[kind]);
    }
  if (price.perRequest !== undefined && prompt + use.output > 0) charge.request = picosOf(price.perRequest);
  for (const [unit, uses] of Object.entries(use.units)) {
    const each = price.units?.[unit] ?? unitPrices[price.seller][unit];
    if (each === undefined) return null;
    charge[unit] = picosOf(each) * BigInt(uses);
  }
  return charge;
}

/**
 * Anthropic sells its priority tier by contract: no page prints a price.
 * https://platform.claude.com/docs/en/api/service-tiers
 */
function isByContract(seller: Seller, word: string): boolean {
  return seller === 'anthropic' && word === 'priority';
}

/** US dollars of at most six places. */
function picosOf(usd: number): bigint {
  return BigInt(Math.round(usd * 1e6)) * 1_000_000n;
}
