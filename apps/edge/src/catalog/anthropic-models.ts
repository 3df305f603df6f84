import { GatewayError } from '@tollgate/contracts';
import type { CatalogModel, CatalogSnapshot } from '@tollgate/contracts/catalog';
import { lineOf } from '@tollgate/dialects/surface';
import { z } from 'zod';
import { anthropicCapabilities, toAnthropicCapabilities } from './anthropic-capabilities';

type Providers = CatalogSnapshot['providers'];

const lifecycle = z.enum(['active', 'deprecated', 'retired']);
const moment = z.string().nullable();

/**
 * A model as Anthropic's clients read it, with all that they take for always there:
 * https://platform.claude.com/docs/en/api/models/list
 */
export const anthropicModel = z
  .object({
    type: z.literal('model'),
    id: z.string(),
    display_name: z.string(),
    created_at: z.string().describe('RFC 3339, of its release'),
    max_input_tokens: z.number().int().nullable().describe('Its context window; null: not known'),
    max_tokens: z.number().int().nullable().describe('The most that it writes; null: not known'),
    capabilities: anthropicCapabilities.nullable(),
    lifecycle: lifecycle.describe('Never `retired`: such a model is not in the list'),
    deprecated_at: moment.describe('RFC 3339; null: it is not, or since when is not known'),
    retires_at: moment.describe('RFC 3339, when its provider ends it; null: not known'),
    line: z.string().nullable().describe('`opus` and such, of a Claude'),
  })
  .describe('A model of the live catalog, for callers that send anthropic-version');

/** One page of them. The ids of its ends are null where it is empty. */
export const anthropicModelList = z.object({
  data: z.array(anthropicModel),
  has_more: z.boolean(),
  first_id: z.string().nullable(),
  last_id: z.string().nullable(),
});

/** Which page: the models behind `after_id`, or those just before `before_id`, at most `limit`. */
export const anthropicListQuery = z.object({
  limit: z.coerce.number().int().min(1).max(1_000).default(20).describe('Models a page, 1 to 1000'),
  after_id: z.string().optional().describe('The page behind this model'),
  before_id: z.string().optional().describe('The page before this model'),
  'lifecycle[]': z
    .union([lifecycle, z.array(lifecycle)])
    .default(['active', 'deprecated'])
    .describe('Models of these stages alone'),
});

export function toAnthropicModel(model: CatalogModel, providers: Providers): z.infer<typeof anthropicModel> {
  const { id, name, created, retirement, deployments } = model;
  return {
    type: 'model',
    id,
    display_name: name,
    created_at: new Date(created * 1_000).toISOString(),
    max_input_tokens: model.contextWindow,
    max_tokens: model.maxOutputTokens,
    capabilities: toAnthropicCapabilities(model, providers),
    lifecycle: stageOf(model),
    deprecated_at: momentOf(retirement?.deprecated),
    retires_at: momentOf(retirement?.date),
    line: lineOf(deployments[0]?.upstreamModel ?? ''),
  };
}

/**
 * A model whose end is announced is headed for it, from the day on that is named for that, whatever else it
 * is. https://platform.claude.com/docs/en/about-claude/model-deprecations
 */
function stageOf({ status, retirement }: CatalogModel): 'active' | 'deprecated' {
  if (status === 'deprecated') return 'deprecated';
  const { deprecated = null, date = null } = retirement ?? {};
  const isAnnounced = deprecated === null ? date !== null : Date.parse(deprecated) <= Date.now();
  return isAnnounced ? 'deprecated' : 'active';
}

function momentOf(day: string | null | undefined): string | null {
  return day == null ? null : `${day}T00:00:00Z`;
}

/**
 * One page of these models.
 * @throws GatewayError 400 for a query that cannot be read or names a model that is not among them.
 */
export function toAnthropicList(
  { models: all, providers }: Pick<CatalogSnapshot, 'models' | 'providers'>,
  query: unknown,
): z.infer<typeof anthropicModelList> {
  const asked = anthropicListQuery.safeParse(query);
  if (!asked.success) {
    const [issue] = asked.error.issues;
    throw new GatewayError(400, `${issue?.path.join('.') ?? 'query'}: ${issue?.message ?? 'is malformed'}`);
  }
  const { limit, after_id: after, before_id: before, 'lifecycle[]': stages } = asked.data;
  const models = all.filter((model) => [stages].flat().includes(stageOf(model)));
  const start = after === undefined ? 0 : placeOf(models, after, 'after_id') + 1;
  const end = before === undefined ? models.length : placeOf(models, before, 'before_id');
  const within = models.slice(start, end);
  const page = before === undefined ? within.slice(0, limit) : within.slice(-limit);
  return {
    data: page.map((model) => toAnthropicModel(model, providers)),
    has_more: page.length < within.length,
    first_id: page[0]?.id ?? null,
    last_id: page.at(-1)?.id ?? null,
  };
}

function placeOf(models: readonly CatalogModel[], id: string, field: string): number {
  const place = models.findIndex((model) => model.id === id);
  if (place < 0) throw new GatewayError(400, `${field}: there is no such model in the list.`);
  return place;
}
