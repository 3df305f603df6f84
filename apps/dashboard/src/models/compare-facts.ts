import { hoursInWords } from '@tollgate/contracts/catalog';
import type { SeriesCounters } from '@tollgate/contracts/metering';
import type { ListedModel } from '../api/catalog';
import { formatCount, formatShare, formatRate } from '../format/number';
import { formatDuration } from '../format/time';
import { capabilitiesOf, priceOf, standingOf } from './model-facts';

/** A model beside others, with what was measured of it lately; null: nothing, or not known yet. */
export interface Compared {
  model: ListedModel;
  measured: SeriesCounters | null;
}

/** A line of a comparison: what is compared, and what it is of a model. */
export interface ComparedFact {
  name: string;
  of: (compared: Compared) => string;
}

const none = '–';
const tokens = (count: number | null) => (count === null ? none : formatCount(count));
const listed = (texts: readonly string[]) => texts.join(', ') || none;

type Pricing = NonNullable<ListedModel['pricing']>;
const price =
  (read: (pricing: Pricing) => string | null | undefined) =>
  ({ model: { pricing } }: Compared) => {
    if (!pricing) return 'Unknown';
    const rate = read(pricing);
    return rate == null ? none : priceOf(rate);
  };

const percentiles = (read: (measured: SeriesCounters) => SeriesCounters['latency']) => (compared: Compared) => {
  const times = compared.measured && read(compared.measured);
  return times ? `${formatDuration(times.p50)} / ${formatDuration(times.p99)}` : none;
};

/** Requests that reached a provider: answers of the response cache say nothing of a model. */
const asked = ({ measured }: Compared) => (measured ? measured.requests - measured.cachedRequests : 0);

/** Prices in US dollars per million tokens; what was measured is of one's own requests. */
export const comparedFacts: readonly ComparedFact[] = [
  { name: 'Provider', of: ({ model }) => model.providerName },
  { name: 'State', of: ({ model }) => (model.available ? model.status : standingOf(model)) },
  { name: 'Ends', of: ({ model }) => model.retirement?.date ?? none },
  { name: 'Input', of: price(({ input }) => input) },
  { name: 'Input from the cache', of: price(({ cachedInput }) => cachedInput) },
  { name: 'Input into the cache', of: price(({ cacheWrite }) => cacheWrite) },
  { name: 'Output', of: price(({ output }) => output) },
  { name: 'By the hour', of: ({ model }) => listed((model.pricing?.hours ?? []).map(hoursInWords)) },
  { name: 'Context', of: ({ model }) => tokens(model.contextWindow) },
  { name: 'Longest answer', of: ({ model }) => tokens(model.maxOutputTokens) },
  { name: 'Takes', of: ({ model }) => listed(model.inputModalities) },
  { name: 'Gives', of: ({ model }) => listed(model.outputModalities) },
  { name: 'Can', of: ({ model }) => listed(capabilitiesOf(model)) },
  { name: 'Requests', of: (compared) => (asked(compared) > 0 ? formatCount(asked(compared)) : none) },
  {
    name: 'Errors',
    of: (compared) => (asked(compared) > 0 ? formatShare(compared.measured?.failed ?? 0, asked(compared)) : none),
  },
  { name: 'Latency p50 / p99', of: percentiles(({ latency }) => latency) },
  { name: 'First token p50 / p99', of: percentiles(({ firstToken }) => firstToken) },
  {
    name: 'Throughput, tokens/s',
    of: ({ measured }) => (measured?.tokensPerSecond == null ? none : formatRate(measured.tokensPerSecond)),
  },
];
