import { GatewayError } from '@tollgate/contracts';
import type { CatalogModel } from '@tollgate/contracts/catalog';
import { z } from 'zod';

/** A model as Anthropic's clients read it: https://platform.claude.com/docs/en/api/models/list */
export const anthropicModel = z
  .object({
    type: z.literal('model'),
    id: z.string(),
    display_name: z.string(),
    created_at: z.string().describe('RFC 3339, of its release'),
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
});

export function toAnthropicModel({ id, name, created }: CatalogModel): z.infer<typeof anthropicModel> {
  return { type: 'model', id, display_name: name, created_at: new Date(created * 1_000).toISOString() };
}

/**
 * One page of these models.
 * @throws GatewayError 400 for a query that cannot be read or names a model that is not among them.
 */
export function toAnthropicList(models: readonly CatalogModel[], query: unknown): z.infer<typeof anthropicModelList> {
  const asked = anthropicListQuery.safeParse(query);
  if (!asked.success) {
    const [issue] = asked.error.issues;
    throw new GatewayError(400, `${issue?.path.join('.') ?? 'query'}: ${issue?.message ?? 'is malformed'}`);
  }
  const { limit, after_id: after, before_id: before } = asked.data;
  const start = after === undefined ? 0 : placeOf(models, after, 'after_id') + 1;
  const end = before === undefined ? models.length : placeOf(models, before, 'before_id');
  const within = models.slice(start, end);
  const page = before === undefined ? within.slice(0, limit) : within.slice(-limit);
  return {
    data: page.map(toAnthropicModel),
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
