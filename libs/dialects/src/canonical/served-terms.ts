import type { ServedTerms, TokenUsage } from '@tollgate/contracts';

/**
 * What providers call the tier that everybody gets: OpenAI default, Google standard and ON_DEMAND, Groq
 * on_demand.
 */
const usualTiers = ['default', 'standard', 'auto', 'on_demand', 'unspecified', 'traffic_type_unspecified'];

/** Provider's words are short; whatever is longer is cut. */
const longestWord = 60;

/**
 * The tier that served a request, as one word for all providers; undefined: the usual one, or nothing was
 * told. `default`, `flex`, `priority`, `scale` and `ultrafast` are OpenAI's
 * (https://platform.openai.com/docs/api-reference/chat/object#chat/object-service_tier), which also calls
 * priority `fast`
 * (https://openai.com/api-fast-mode/), `ON_DEMAND_PRIORITY`, `ON_DEMAND_FLEX` and
 * `PROVISIONED_THROUGHPUT` Vertex AI's
 * (https://cloud.google.com/vertex-ai/generative-ai/docs/reference/rest/v1/GenerateContentResponse#TrafficType).
 */
export function servedTier(told: unknown): string | undefined {
  const word = servedWord(told)?.replace(/^service_tier_/, '');
  if (word === undefined || usualTiers.includes(word)) return undefined;
  return word === 'fast' ? 'priority' : word.replace(/^on_demand_/, '');
}

/** A word of the provider in small letters; undefined: none was told. */
export function servedWord(told: unknown): string | undefined {
  return typeof told === 'string' && told !== '' ? told.toLowerCase().slice(0, longestWord) : undefined;
}

/** Uses of what is not charged by tokens, without those that there were none of; undefined: none at all. */
export function usedUnits(counted: Record<string, number>): ServedTerms['units'] {
  // Of most answers there is none, and lists of pairs are dear.
  if (!Object.values(counted).some((uses) => uses > 0)) return undefined;
  return Object.fromEntries(Object.entries(counted).filter(([, uses]) => uses > 0));
}

/** US dollars as whole nano-dollars; undefined: the provider does not say what it charges. */
export function toldNanoUsd(usd: unknown): string | undefined {
  return typeof usd === 'number' && usd >= 0 && usd < 1e6 ? BigInt(Math.round(usd * 1e9)).toString() : undefined;
}

/**
 * A usage of an answer that was cut off, with what the answer had told until then beside it; what the usage
 * tells itself holds.
 */
export function withSeen(usage: TokenUsage, seen: ServedTerms | undefined): TokenUsage {
  return seen === undefined ? usage : { ...usage, served: { ...seen, ...usage.served } };
}

/** The member `served` of a usage, without what is undefined; nothing where all of it is. */
export function served(terms: { [Name in keyof ServedTerms]: ServedTerms[Name] | undefined }): {
  served?: ServedTerms;
} {
  if (!Object.values(terms).some((value) => value !== undefined)) return {};
  return { served: Object.fromEntries(Object.entries(terms).filter(([, value]) => value !== undefined)) };
}
