import type { PriceHours, PriceSheet, PriceTerm, PriceTerms } from '@tollgate/contracts/catalog';
import type { PricedModel } from '../effective/effective-catalog';

/**
 * What a provider prints beside the rates of its models, for the model ids that `models` fits. `from`, `to`:
 * the first instant at which it holds, and at which it does not any more.
 */
interface PublishedTerms {
  models: RegExp;
  terms: PriceTerms;
  from?: string;
  to?: string;
}

const tier = (value: string, factor: string): PriceTerm => ({ on: 'tier', value, factor });
const fast = (factor: string): PriceTerm => ({ on: 'speed', value: 'fast', factor });
const inUsOnly = (factor: string): PriceTerm => ({ on: 'region', value: 'us', factor });
const imagesOf = (
  name: string,
  prices: { textInput: string; imageInput?: string; cachedImageInput?: string; imageOutput: string },
): PublishedTerms => {
  const { textInput, imageInput, cachedImageInput, imageOutput } = prices;
  const read =
    imageInput === undefined
      ? {}
      : { [`${name} image input`]: imageInput, [`${name} cached image input`]: cachedImageInput ?? imageInput };
  const units = { [`${name} text input`]: textInput, ...read, [`${name} image output`]: imageOutput };
  return { models: /^openai\//, terms: { units } };
};

/**
 * Days of the week on which China is off by law in 2027 (State Council order 795, in force since 2025:
 * https://www.gov.cn/zhengce/content/202411/content_6986380.htm).
 * The notice that adds the days in lieu of 2027 was not to be found on 2026-11-24: those are charged as
 * working days until they stand here.
 */
const chineseHolidays = [
  ...['2027-01-01', '2027-02-05', '2027-02-08', '2027-04-05'],
  ...['2027-06-09', '2027-09-15', '2027-10-01'],
];
const peakOfDeepSeek = (from: string, to: string): PriceHours => {
  return { days: [1, 2, 3, 4, 5], from, to, except: chineseHolidays, factor: '2' };
};

/**
 * Provider by provider. Factors are of the model's own rates, so that they hold for every price of it; where
 * a provider prints rates that are no multiple, they stand as they are. Factors differ by model, so those of
 * tiers and speeds name each that a page names. A tier that is not here is not sold for that model, or its
 * price is not known: its requests are unpriced.
 */
const published: readonly PublishedTerms[] = [
  // Priority, renamed fast mode in July 2026: https://openai.com/api-priority-processing/
  // https://openai.com/api-fast-mode/ GPT-6: https://developers.openai.com/api/docs/pricing, and models.dev's
  // copies of the models' own pages (experimental.modes.fast).
  {
    models:
      /^openai\/gpt-(6\.[12]-(astra|sol|terra)|6-(astra|sol|luna)|5\.6-(sol|terra|luna)|5\.4(-mini|-nano)?|5\.2)$/,
    terms: { served: [tier('priority', '2')] },
  },
  { models: /^openai\/gpt-5\.5$/, terms: { served: [tier('priority', '2.5')] } },
  // https://developers.openai.com/api/docs/guides/flex-processing: the prices of the Batch API, half of
  // standard. GPT-6 Sol: https://developers.openai.com/zh-Hans/api/docs/models/gpt-6-sol The page of GPT-6.2
  // Sol names batch, fast and ultrafast alone: https://developers.openai.com/api/docs/models/gpt-6.2-sol
  {
    models: /^openai\/gpt-(6\.1-(terra|sol)|6-(astra|sol|luna)|5\.6-(sol|terra|luna)|5\.5|5\.4(-mini|-nano)?|5\.2)$/,
    terms: { served: [tier('flex', '0.5')] },
  },
  // An introductory price to the end of February 2027 in Pacific time:
  // https://developers.openai.com/api/docs/models/gpt-6.2-sol, as read at
  // https://www.w3cschool.cn/openai_api/openai_api-models-gpt-6-2-sol.html
  { models: /^openai\/gpt-6\.2-sol$/, terms: { served: [tier('ultrafast', '3')] }, to: '2027-03-01T08:00:00Z' },
  { models: /^openai\/gpt-6\.2-sol$/, terms: { served: [tier('ultrafast', '6')] }, from: '2027-03-01T08:00:00Z' },
  // Astra: https://vercel.com/changelog/openai-ultrafast-mode-now-available-on-ai-gateway; GPT-6.1 Sol: its
  // page, as read at https://www.w3cschool.cn/openai_api/openai-api-docs-gpt-6-1-sol.html
  { models: /^openai\/gpt-(6-astra|6\.1-sol)$/, terms: { served: [tier('ultrafast', '6')] } },
  // https://developers.openai.com/api/docs/pricing#built-in-tools: per 1,000 calls $10 for web search and
  // $2.50 for file search, $0.03 for a container of 1 GB. A session that an earlier answer began is counted
  // again, for no answer tells its age. The older preview of web search costs more where a model does not
  // reason.
  {
    models: /^openai\//,
    terms: { units: { webSearch: '0.01', webSearchPreview: '0.01', fileSearch: '0.0025', codeSession: '0.03' } },
  },
  // Images that the tool makes, by the token of the model that makes them (text that it reads, images that it
  // reads and makes): https://developers.openai.com/api/docs/pricing, as read at
  // https://www.llmreference.com/model/gpt-image-2/openai-api,
  // https://www.llmreference.com/model/gpt-image-1.5/openai-api,
  // https://developers.openai.com/de-DE/api/docs/models/gpt-image-2.6-sunburst,
  // https://docs.apiyi.com/en/live/2026-11/gpt-image-2-6-launch.md (both of 2.6) and
  // https://github.com/theopenco/llmgateway/pull/3985 (both of 2.5, from their own pages). Images from the
  // cache cost a fourth: the page of 2.6 Sunburst, https://github.com/Laisky/one-api/pull/401 (2.5). Those of
  // 1.5 are charged whole, since no page with their price was found; texts from the cache too, for $1.25 per
  // million is no whole number of micro-dollars each.
  ...[
    'gpt-image-2',
    'gpt-image-2.5-flare',
    'gpt-image-2.5-sunburst',
    'gpt-image-2.6-flare',
    'gpt-image-2.6-sunburst',
  ].map((name) =>
    imagesOf(name, {
      textInput: '0.000005',
      imageInput: '0.000008',
      cachedImageInput: '0.000002',
      imageOutput: '0.00003',
    }),
  ),
  imagesOf('gpt-image-1.5', { textInput: '0.000005', imageInput: '0.000008', imageOutput: '0.000032' }),
  // Images that this one reads cost $2.50 per million, which is no whole number of micro-dollars each:
  // https://developers.openai.com/de-DE/api/docs/models/gpt-image-1-mini
  imagesOf('gpt-image-1-mini', { textInput: '0.000002', imageOutput: '0.000008' }),
  // Larger ones at four times the price of the next smaller:
  // https://simoncarter.ai/posts/openai-container-sessions-now-billed-per-minute-short-sessions-get-cheaper-from-/
  // Since June 2026 they are charged by the minute, which no answer tells: what stands here is the most that
  // twenty minutes cost.
  {
    models: /^openai\//,
    terms: { units: { codeSession4g: '0.12', codeSession16g: '0.48', codeSession64g: '1.92' } },
  },
  { models: /^openai\/gpt-4/, terms: { units: { webSearchPreview: '0.025' } } },
  // https://platform.claude.com/docs/en/about-claude/pricing: batch half; web search $10 per 1,000, web fetch
  // free. Code execution is free beside them and for the first 1,550 hours of an organization's month, and
  // counted in time that no answer tells: it costs nothing here.
  {
    models: /^anthropic\//,
    terms: {
      served: [tier('batch', '0.5')],
      units: { webSearch: '0.01', webFetch: '0', codeExecution: '0' },
    },
  },
  // https://platform.claude.com/docs/en/build-with-claude/fast-mode: cache rates are multiplied too.
  { models: /^anthropic\/claude-(fable-5-2|opus-5(-5)?)$/, terms: { served: [fast('2')] } },
  // Removed on 30 November 2026, of which the page names no hour: what is served on that day has its price.
  // https://code.claude.com/docs/en/fast-mode
  { models: /^anthropic\/claude-opus-4-8$/, terms: { served: [fast('2')] }, to: '2026-12-01T00:00:00Z' },
  // It still takes the word, and runs and is billed as without it:
  // https://platform.claude.com/docs/en/release-notes/overview
  { models: /^anthropic\/claude-opus-4-6$/, terms: { served: [fast('1')] } },
  // https://platform.claude.com/docs/en/build-with-claude/data-residency: 1.1 for Opus 4.6 and every newer
  // model, older ones keep their price.
  {
    models: /^anthropic\/claude-(fable|haiku-5|sonnet-(5|4-6)|opus-(5|4-[678]))/,
    terms: { served: [inUsOnly('1.1')] },
  },
  { models: /^anthropic\/claude-(haiku-4|sonnet-4-5|opus-4-[15])/, terms: { served: [inUsOnly('1')] } },
  // https://ai.google.dev/gemini-api/docs/pricing: priority 1.8 of standard, flex half, but for the cache
  // reads of the Pro models.
  {
    models:
      /^google\/gemini-(4-argon|3\.[5678]-flash(-lite)?|3\.1-(pro-preview(-customtools)?|flash-lite)|3-flash-preview|2\.5-(pro|flash|flash-lite))$/,
    terms: { served: [tier('priority', '1.8')] },
  },
  { models: /^google\/gemini-3\.[5678]-flash(-lite)?$/, terms: { served: [tier('flex', '0.5')] } },
  { models: /^google\/gemini-3(\.1-flash-lite|-flash-preview)$/, terms: { served: [tier('flex', '0.5')] } },
  // https://ai.google.dev/gemini-api/docs/pricing: $14 per 1,000 queries, before Gemini 3 $35 per 1,000
  // prompts; what a project has free each day no answer tells.
  { models: /^google\/gemini-/, terms: { units: { webSearch: '0.014', groundedPrompt: '0' } } },
  { models: /^google\/gemini-[12]/, terms: { units: { webSearch: '0', groundedPrompt: '0.035' } } },
  // Google Maps: $25 per 1,000 prompts before Gemini 3, then $14 per 1,000 queries, of which no answer tells
  // the number: one is counted.
  // https://github.com/iyulab/TokenMeter/releases/tag/v0.14.0
  { models: /^google\/gemini-/, terms: { units: { mapsPrompt: '0.014' } } },
  { models: /^google\/gemini-[12]/, terms: { units: { mapsPrompt: '0.025' } } },
  // https://docs.x.ai/developers/pricing: since 21 September 2026 a search on X is charged by what it fetched
  // and not by the call.
  {
    models: /^xai\//,
    terms: {
      units: {
        webSearch: '0.005',
        xSearch: '0',
        xPost: '0.005',
        xProfile: '0.01',
        codeExecution: '0.005',
        fileSearch: '0.0025',
        attachmentSearch: '0.005',
      },
    },
  },
  { models: /^xai\/grok-/, terms: { served: [tier('priority', '2')] } },
  // Since November 2026, $0.75 per 1,000 searches that found something:
  // https://api-docs.deepseek.com/quick_start/pricing
  { models: /^deepseek\//, terms: { units: { webSearch: '0.00075' } } },
  // Peak costs twice off-peak, 9:00 to 12:00 and 14:00 to 18:00 in Beijing, Monday to Friday but for Chinese
  // holidays:
  // https://api-docs.deepseek.com/quick_start/pricing (the page in Chinese names the holidays). The seed's
  // rates are those off-peak.
  {
    models: /^deepseek\//,
    terms: { hours: [peakOfDeepSeek('01:00', '04:00'), peakOfDeepSeek('06:00', '10:00')] },
  },
  // https://docs.perplexity.ai/docs/getting-started/pricing: the fee of a request by its search context: $5,
  // $8 and $12 per 1,000 at Sonar, $6, $10 and $14 at the larger ones. The small one, which is the usual one,
  // is the price of a request; here stands what more the others cost. What a Pro Search costs more ($14, $18,
  // $22) no documented member of an answer tells, but for the charge itself, which is kept beside ours.
  { models: /^perplexity\/sonar$/, terms: { units: { mediumSearchContext: '0.003', highSearchContext: '0.007' } } },
  {
    models: /^perplexity\/sonar-(pro|reasoning-pro)$/,
    terms: { units: { mediumSearchContext: '0.004', highSearchContext: '0.008' } },
  },
  // What a caller marked for the cache is read at a tenth of the input rate, what Alibaba keeps unasked at a
  // fifth, which is the cached rate of the seed:
  // https://www.alibabacloud.com/help/en/model-studio/context-cache
  // Qwen 3.8 Max has prices of its own, 0.17 and 0.25: https://www.qwencloud.com/models/qwen3.8-max, as read
  // at https://github.com/theopenco/llmgateway/pull/3392
  { models: /^alibaba\/qwen3\.([67]-plus|6-max-preview|7-max)$/, terms: { markedReads: '0.1' } },
  { models: /^alibaba\/qwen3\.8-max$/, terms: { markedReads: '0.085' } },
  // https://console.groq.com/docs/flex-processing: the price is that of the on-demand tier.
  { models: /^groq\//, terms: { served: [tier('flex', '1')] } },
];

/**
 * A model's prices with the terms that its provider prints, each from its own instant on. Terms that the
 * price brings itself stand alone.
 */
export function withPublishedTerms(priced: PricedModel): PricedModel {
  const mine = published.filter(({ models }) => models.test(priced.model));
  if (mine.length === 0) return priced;
  const changes = priced.changes ?? [];
  const sheetAt = (time: number): PriceSheet =>
    changes.findLast(({ from }) => Date.parse(from) <= time)?.prices ?? priced.prices;
  const dates = mine.flatMap(({ from, to }) => [from, to].filter((date) => date !== undefined));
  const instants = [...new Set([...changes.map(({ from }) => from), ...dates])].sort(
    (one, other) => Date.parse(one) - Date.parse(other),
  );
  const dated = instants.map((from) => ({ from, prices: joined(sheetAt(Date.parse(from)), mine, Date.parse(from)) }));
  return {
    ...priced,
    prices: joined(priced.prices, mine, 0),
    ...(dated.length > 0 && { changes: dated }),
  };
}

function joined(sheet: PriceSheet, mine: readonly PublishedTerms[], at: number): PriceSheet {
  if (sheet.terms) return sheet;
  const inForce = mine.filter(
    ({ from, to }) => (from === undefined || Date.parse(from) <= at) && (to === undefined || at < Date.parse(to)),
  );
  const served = inForce.flatMap(({ terms }) => terms.served ?? []);
  const units = Object.assign({}, ...inForce.map(({ terms }) => terms.units ?? {})) as Record<string, string>;
  const hours = inForce.flatMap(({ terms }) => terms.hours ?? []);
  const markedReads = inForce.findLast(({ terms }) => terms.markedReads !== undefined)?.terms.markedReads;
  const hasUnits = Object.keys(units).length > 0;
  return {
    ...sheet,
    terms: {
      ...(served.length > 0 && { served }),
      ...(hours.length > 0 && { hours }),
      ...(hasUnits && { units }),
      ...(markedReads !== undefined && { markedReads }),
    },
  };
}
