import { z } from 'zod';
import { toldBills } from '../metering/bills';
import { contentLogRules } from '../metering/content-log';
import { deploymentHold } from '../inference/deployment-health';
import { guardrail } from './guardrails';
import { placeFactors } from '../money';
import { priceSheet } from './price-sheet';
import { retiredName, retirement } from './retirement';
import { dialectAt, providerQuirks } from './provider-rules';
import { dialectName, modelKind } from '../surface';
import { milliseconds, timeLimits } from './time-limits';

/**
 * How a provider is told who is calling. bearer: `authorization: Bearer <key>`; x-api-key, x-goog-api-key,
 * api-key: the key in the header of that name.
 * aws: the key as a bearer token, or else requests signed (SigV4) with AWS_ACCESS_KEY_ID,
 * AWS_SECRET_ACCESS_KEY and, if set, AWS_SESSION_TOKEN.
 * google: an access token that is fetched with Google credentials; the "key" is their JSON, or the path of a
 * file with it.
 */
const authentication = z.enum(['bearer', 'x-api-key', 'x-goog-api-key', 'api-key', 'aws', 'google']);
export type Authentication = z.infer<typeof authentication>;

/**
 * What stands for `{name}` in a base URL: the first of the environment variables that is set, else `default`.
 * Null: without the variable the provider cannot be reached.
 */
const placeholder = z.object({ env: z.array(z.string()).min(1), default: z.string().nullable().default(null) });

/** Servers that people run themselves and that we know: presets of a provider in tollgate.yaml. */
export const serverNames = [
  'llama-cpp',
  'ollama',
  'vllm',
  'sglang',
  'lm-studio',
  'tgi',
  'localai',
  'transformers',
  'litellm',
  'openai-compatible',
] as const;
export type ServerName = (typeof serverNames)[number];

/**
 * Which models of a provider's own list are offered: those of a name that one of the patterns `match` fits
 * (`*` stands for any letters), under that name behind `prefix`. `serve`: at once, or when an operator has
 * switched them on. `onlyNew`: not those that were there long before the catalog's facts were taken.
 * The list is read every `everyS` seconds.
 */
export const modelDiscovery = z.object({
  match: z.array(z.string().min(1)).default(['*']),
  prefix: z.string(),
  serve: z.enum(['at-once', 'on-approval']).default('at-once'),
  onlyNew: z.boolean().default(false),
  everyS: z.number().int().min(60).default(60),
});
export type ModelDiscovery = z.infer<typeof modelDiscovery>;

/** A key by its name. `sealed`: what `setKey` of live providers kept. */
const sealedKey = z.object({ name: z.string(), sealed: z.string() });

/**
 * A provider as data: how to reach it and what is odd about it. Holds the NAMES of environment variables,
 * never a credential. `apiKeyEnv`: the first one that is set is the key; empty means the provider needs none.
 * `documentation` is the page the facts come from. `alsoSpeaks`: further dialects under the same base URL; a
 * caller of one of them is served in it, every other caller in `dialect`. `queues`: requests wait at the
 * provider while it is busy, as at most servers of one's own: silence is no failure there, and neither is a
 * 429 or 503, which is tried again.
 */
export const providerDefinition = z.object({
  id: z.string().regex(/^[a-z0-9][a-z0-9-]*$/, 'a provider id is lower-case letters, digits and dashes'),
  name: z.string(),
  dialect: dialectName,
  alsoSpeaks: z.array(dialectName).default([]),
  alsoAt: z.array(dialectAt).default([]),
  baseUrl: z.url({ protocol: /^https?$/ }),
  /** By the names in braces of `baseUrl`. */
  placeholders: z.record(z.string(), placeholder).default({}),
  authentication: authentication.default('bearer'),
  apiKeyEnv: z.array(z.string()),
  headers: z.record(z.string(), z.string()).default({}),
  timeouts: timeLimits.default({}),
  queues: z.boolean().default(false),
  documentation: z.string().optional(),
  /**
   * True for one that only the operator's file names. It is real, always: the sandbox never answers for it.
   */
  operatorDefined: z.boolean().default(false),
  /**
   * True for one that is set without the file, by somebody who may not have the environment: nothing of that
   * is sent to its address, which is one of the internet unless the environment trusts its host. False too
   * for one of the release that was given keys.
   */
  isLive: z.boolean().default(false),
  /**
   * Keys that were given without the environment, in their order, sealed for inference (`aboutProviderKey`,
   * with `baseUrl` as it stands here). Null: it is given none so; empty: those that it needs are not there.
   */
  sealedKeys: z.array(sealedKey).nullable().default(null),
  /**
   * True where text completions (`/completions`) are served beside chat completions, for callers of that
   * format.
   */
  textCompletions: z.boolean().default(false),
  /** True where `/tokenize` and `/detokenize` are served beside `/v1`. */
  tokenizes: z.boolean().default(false),
  /**
   * Names of gauges at `/metrics` beside `/v1`, whose sum is how many requests the server has under way and
   * waiting. Empty: it tells none.
   */
  loadMetrics: z.array(z.string().min(1)).default([]),
  /**
   * True: where it tells none of these gauges, its places at `/slots` beside `/v1` are counted that have
   * `is_processing`.
   */
  loadSlots: z.boolean().default(false),
  /** True: any name behind the provider's id and a slash is passed on, be a model of it known or not. */
  unlisted: z.boolean().default(false),
  /** False: it is asked with no key of an account, whatever else it is. */
  ownKeys: z.boolean().default(true),
  /** Null: only the models of the catalog are offered. */
  discover: modelDiscovery.nullable().default(null),
  /** Null: it tells nothing of what it bills. */
  bills: toldBills.nullable().default(null),
  /**
   * How the names of the models begin that this provider makes itself, such as `claude-`: such a name without
   * a provider means the maker's, where several offer it.
   */
  makes: z.array(z.string()).default([]),
  quirks: providerQuirks.prefault({}),
});
export type ProviderDefinition = z.infer<typeof providerDefinition>;

export const modality = z.enum(['text', 'image', 'audio', 'video', 'pdf']);
/** What a model may give; `embedding` stands for vectors, `rerank` for scores of documents. */
export const outputModality = z.enum([...modality.options, 'embedding', 'rerank']);

/**
 * One place where a model can be generated: a provider and the model's name there. Deployments of a lower
 * `priority` (absent: 0) come first. Those of one priority are tried in the order of the list, unless one of
 * them has a `weight`: then callers are shared out among them by weight (absent: 1), each caller staying
 * where it is; weight 0 is used only when the others cannot. `maxConcurrent`: each inference instance sends
 * it no more requests at once; the others wait their turn, which goes to the API key that has the fewest
 * there. Absent: as many as come. For `factors` see `placeFactors`.
 */
export const deployment = z.object({
  id: z.string(),
  provider: z.string(),
  upstreamModel: z.string(),
  priority: z.number().int().optional(),
  weight: z.number().nonnegative().max(1_000_000).optional(),
  maxConcurrent: z.number().int().positive().optional(),
  ...placeFactors.shape,
});
export type Deployment = z.infer<typeof deployment>;

/**
 * A model of the catalog. `prices` null: the price is unknown (its usage is shown as unpriced, never as
 * free). `priceUnconfirmed`: sources disagree on it, it was not seen at the provider itself, or it has parts
 * that a price sheet cannot hold. `retirement` null: no end is known. `fallbacks` are public model ids, tried
 * in order.
 * `discovered`: only its provider's list tells of it; `unlisted`: only a caller does (`unlistedModel`).
 * `hedgeAfterMs`: a request that has no content by then is also sent to the next place, and the first to
 * answer wins; absent: never.
 * `continueBrokenStreams`: a stream of it that breaks before a call goes on at another place, unless its
 * caller says otherwise; absent: it fails.
 * `maxOutputUnstreamed`: the most tokens of an answer that is no stream, where that is less than
 * `maxOutputTokens`. `sharedContext`: input and output together fit into `contextWindow`.
 */
export const catalogModel = z.object({
  id: z.string().regex(/^[\w.:@-]+(\/[\w.:@-]+)*$/, 'a model id is provider/model of letters, digits and . : @ _ -'),
  name: z.string(),
  provider: z.string(),
  kind: modelKind.default('generation'),
  created: z.number().int(),
  status: z.enum(['active', 'preview', 'deprecated']),
  contextWindow: z.number().int().positive().nullable(),
  maxOutputTokens: z.number().int().positive().nullable(),
  maxOutputUnstreamed: z.number().int().positive().optional(),
  sharedContext: z.boolean().optional(),
  inputModalities: z.array(modality),
  outputModalities: z.array(outputModality),
  capabilities: z.object({
    streaming: z.boolean(),
    tools: z.boolean(),
    vision: z.boolean(),
    reasoning: z.boolean(),
    structuredOutput: z.boolean(),
    temperature: z.boolean(),
  }),
  /** The efforts of reasoning that it takes, ascending. Absent: not known, or it has none. */
  reasoningEfforts: z.array(z.string()).optional(),
  prices: priceSheet.nullable(),
  /** What it cost shortly before, or will shortly (`clockBoundMs`): who reserves takes the dearest. */
  pricesBeside: z.array(priceSheet).optional(),
  priceUnconfirmed: z.boolean().default(false),
  /**
   * The day on which `prices` were taken from their source, by the release or by an import; absent: not
   * known, or the operator set them.
   */
  pricesAsOf: z.iso.date().optional(),
  retirement: retirement.nullable().default(null),
  aliases: z.array(z.string()),
  deployments: z.array(deployment).min(1),
  fallbacks: z.array(z.string()),
  discovered: z.boolean().optional(),
  unlisted: z.boolean().optional(),
  timeouts: timeLimits.optional(),
  hedgeAfterMs: milliseconds.optional(),
  continueBrokenStreams: z.boolean().optional(),
});
export type CatalogModel = z.infer<typeof catalogModel>;

/**
 * Everything edge and inference know of models. `revision` grows with every change. A model is live when
 * `available` holds its id; `disabled` holds those that an operator switched off, or has not switched on yet
 * (`ModelDiscovery.serve`), which are never live. `held`: deployments that an operator closed or drains.
 * `retiredNames` are no models: they tell who asks for one what became of it. `factsAsOf`: the day on which
 * the newest facts of the catalog were taken, by the release or by an operator's import; null: not known.
 * `guardrails` are in the order in which they are applied. `contentLog` null: nothing of requests and answers
 * is logged. `sandbox` true: no credential is set, and the sandbox stands in for the built-in providers
 * (`isSimulated`). `digest`: of two snapshots that have the same, all but the revision is the same; absent:
 * an older release tells none.
 */
export const catalogSnapshot = z.object({
  revision: z.number().int(),
  digest: z.string().optional(),
  sandbox: z.boolean(),
  providers: z.array(providerDefinition),
  models: z.array(catalogModel),
  available: z.array(z.string()),
  /** Ids of the providers that inference can reach. */
  reachable: z.array(z.string()).default([]),
  disabled: z.array(z.string()).default([]),
  held: z.array(deploymentHold.extend({ deployment: z.string() })).default([]),
  retiredNames: z.array(retiredName).default([]),
  factsAsOf: z.iso.date().nullable().default(null),
  /** Prices that were taken longer ago are marked as old where a cost is shown. */
  pricesOldAfterDays: z.number().int().positive().default(90),
  guardrails: z.array(guardrail).default([]),
  contentLog: contentLogRules.nullable().default(null),
});
export type CatalogSnapshot = z.infer<typeof catalogSnapshot>;

/**
 * True when the prices of a model were taken from their source more than `afterDays` ago. `now`: epoch
 * milliseconds.
 */
export function hasOldPrices(
  { pricesAsOf }: Pick<CatalogModel, 'pricesAsOf'>,
  afterDays: number,
  now: number,
): boolean {
  return pricesAsOf !== undefined && now - Date.parse(pricesAsOf) > afterDays * 86_400_000;
}

/** True when the sandbox answers in place of this provider. */
export function isSimulated(
  { operatorDefined }: Pick<ProviderDefinition, 'operatorDefined'>,
  { sandbox }: Pick<CatalogSnapshot, 'sandbox'>,
): boolean {
  return sandbox && !operatorDefined;
}

/** The ids of the models that the sandbox alone answers for: no place of theirs is real. */
export function simulatedModels(
  snapshot: Pick<CatalogSnapshot, 'sandbox' | 'providers' | 'models'>,
): ReadonlySet<string> {
  if (!snapshot.sandbox) return new Set();
  const real = new Set(snapshot.providers.filter((each) => !isSimulated(each, snapshot)).map(({ id }) => id));
  const invented = snapshot.models.filter(({ deployments }) => !deployments.some(({ provider }) => real.has(provider)));
  return new Set(invented.map(({ id }) => id));
}

/** Told when the snapshot changed; who needs it asks for the new one. */
export const catalogChanged = z.object({ revision: z.number().int() });

/**
 * The JetStream key-value bucket, and the key in it, in which catalog keeps for its next start what inference
 * can reach, and what operators chose; and the stream under it.
 */
export const catalogMemory = { bucket: 'catalog', key: 'reach', stream: 'KV_catalog' } as const;

export const catalogSubjects = { changed: 'catalog.changed', inferenceAnnouncement: 'inference.announcement' } as const;
