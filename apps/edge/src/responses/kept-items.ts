import { GatewayError } from '@tollgate/contracts';
import { createHash } from 'node:crypto';
import { z } from 'zod';
import { inTurns } from '../generation/in-turns';
import { itemsIn } from './conversation-item';
import { readShape } from './conversation-shapes';
import { factsOf, toldItem, toldList } from './told-items';
import type { Turn } from './turn';

/** https://platform.openai.com/docs/api-reference/responses/get */
export const responseQuery = z.object({
  stream: z
    .enum(['true', 'false'])
    .default('false')
    .describe('true: its events, of one that was created with `background` and `stream`'),
  starting_after: z.coerce
    .number()
    .int()
    .min(0)
    .optional()
    .describe('The `sequence_number` of the event behind which the stream goes on'),
});

/** https://platform.openai.com/docs/api-reference/responses/input-items */
export const inputItemsQuery = z.object({
  limit: z.coerce
    .number()
    .int()
    .min(1)
    .max(100)
    .default(20)
    .describe('How many items there are at most: 20 unless given'),
  order: z.enum(['asc', 'desc']).default('desc').describe('asc: the oldest first; desc, unless given'),
  after: z.string().max(256).optional().describe('The id of the item behind which the page begins'),
});

/** A page of what a response was made from. */
export const inputItemList = z.object({
  object: z.literal('list'),
  data: z.array(z.record(z.string(), z.unknown())),
  first_id: z.string().nullable(),
  last_id: z.string().nullable(),
  has_more: z.boolean(),
});

/** What came of removing one. */
export const removedResponse = z.object({ id: z.string(), object: z.literal('response'), deleted: z.literal(true) });

/**
 * A page of everything that the last of these turns was made from: the conversation before it, and what was
 * new, as JSON text of an `inputItemList`. An item that came without an id gets one of its place.
 * @throws GatewayError 400 for a query that cannot be read, or an item that is not there.
 */
export async function inputItems(id: string, turns: readonly Turn[], query: unknown): Promise<Buffer> {
  const { limit, order, after } = readShape(inputItemsQuery, query);
  const lists = turns.flatMap(({ input, output }, at) => (at < turns.length - 1 ? [input, output] : [input]));
  const texts = (await inTurns(lists, itemsIn)).flat();
  const items = await inTurns(texts, (text, place) => withId(text, id, place));
  if (order === 'desc') items.reverse();
  const from = after === undefined ? 0 : items.findIndex((item) => item.id === after) + 1;
  if (after !== undefined && from === 0) throw new GatewayError(400, `after: there is no item ${after} here`);
  const page = items.slice(from, from + limit);
  return toldList(
    page.map((item) => toldItem(item.text, item.facts, item.id)),
    from + limit < items.length,
  );
}

/** An item that came without an id gets one of its place. */
function withId(text: Uint8Array, responseId: string, place: number) {
  const facts = factsOf(text);
  if (typeof facts.id === 'string') return { text, facts, id: facts.id };
  const digest = createHash('sha256').update(`${responseId} ${place}`).digest('hex').slice(0, 32);
  return { text, facts, id: `${facts.type === 'message' ? 'msg' : 'item'}_${digest}` };
}
