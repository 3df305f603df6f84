import { GatewayError } from '@tollgate/contracts';
import { z } from 'zod';

/** https://platform.openai.com/docs/api-reference/conversations/create#conversations-create-metadata */
const metadata = z
  .record(z.string().max(64), z.string().max(512))
  .refine((pairs) => Object.keys(pairs).length <= 16, 'has more than 16 pairs');
const item = z.looseObject({});
const items = z.array(item).max(20);

/** The body of POST /v1/conversations. https://platform.openai.com/docs/api-reference/conversations/create */
export const newConversation = z.object({
  items: items.nullish().describe('What it begins with, at most 20 items'),
  metadata: metadata.nullish().describe('At most 16 pairs; names of 64 characters, values of 512'),
});

/**
 * The body of POST /v1/conversations/{id}.
 * https://platform.openai.com/docs/api-reference/conversations/update
 */
export const changedConversation = z.object({ metadata: metadata.nullable() });

/**
 * The body of POST /v1/conversations/{id}/items.
 * https://platform.openai.com/docs/api-reference/conversations/create-items
 */
export const newItems = z.object({ items: items.min(1).describe('At most 20 items') });

/** https://platform.openai.com/docs/api-reference/conversations/object */
export const conversation = z.object({
  id: z.string(),
  object: z.literal('conversation'),
  created_at: z.number().int().describe('Seconds since 1970'),
  metadata: z.record(z.string(), z.string()),
});

export const removedConversation = z.object({
  id: z.string(),
  object: z.literal('conversation.deleted'),
  deleted: z.literal(true),
});

export const conversationItem = z.looseObject({ id: z.string(), type: z.string() });

/** What a body or a query says. @throws GatewayError 400 naming what is wrong. */
export function readShape<Shape extends z.ZodType>(shape: Shape, value: unknown): z.output<Shape> {
  const read = shape.safeParse(value);
  if (read.success) return read.data;
  const [issue] = read.error.issues;
  throw new GatewayError(400, `'${issue?.path.map(String).join('.')}': ${issue?.message}`);
}
