import { z } from 'zod';
import { operation } from '../operation';
import { text } from '../text';

/**
 * A conversation is kept for so long after it was last added to, milliseconds; a longer time is refused to
 * nobody who uses it.
 */
export const conversationMs = 30 * 86_400_000;
/**
 * Whoever adds to a conversation has it for itself for so long, milliseconds, and as long again each time it
 * says so.
 */
export const conversationLeaseMs = 15_000;
/** Items that a conversation may have had in all. */
export const mostConversationItems = 100_000;

const id = text(256).min(1);
const time = z.number().int();
const count = z.number().int().nonnegative();

/**
 * Whose it is. Never taken from a caller: edge fills it in by who asks. What belongs to another account is
 * `not_found`.
 */
const owned = { accountId: id, id };

/** A part of an item, which edge has encrypted. `rawBytes`: of the whole item as JSON. */
const itemPart = z.object({
  ordinal: count,
  itemId: id,
  part: count,
  parts: z.number().int().positive(),
  rawBytes: count,
  content: z.base64(),
});
export type ItemPart = z.infer<typeof itemPart>;

/**
 * A conversation without its items: when it was made (epoch milliseconds), and its metadata, encrypted by
 * edge.
 */
const head = z.object({ createdAt: time, content: z.base64() });

/**
 * Conversations that callers keep at the gateway. Metering keeps them, for `conversationMs`, and cannot read
 * them. `conflict`: somebody else is adding to it.
 */
export const conversationOperations = {
  create: operation('metering.conversations.create', head.extend({ ...owned, keyId: id }), z.object({})),
  find: operation('metering.conversations.find', z.object(owned), head),
  /** Puts other metadata in the place of those that it has. */
  describe: operation('metering.conversations.describe', z.object({ ...owned, content: z.base64() }), head),
  remove: operation('metering.conversations.remove', z.object(owned), z.object({})),
  /**
   * Has it for who names `lockId`, for `conversationLeaseMs` from now on; again with the same one: for
   * longer. Tells the place of the next item.
   */
  lock: operation(
    'metering.conversations.lock',
    z.object({ ...owned, lockId: id }),
    z.object({ nextOrdinal: count, rawBytes: count }),
  ),
  unlock: operation('metering.conversations.unlock', z.object({ ...owned, lockId: id }), z.object({})),
  /**
   * Adds parts of items behind those that are there. With the last ones (`isLast`) all of them are there for
   * others, and the lock is given back.
   */
  add: operation(
    'metering.conversations.add',
    z.object({ ...owned, lockId: id, parts: z.array(itemPart).max(1_000), isLast: z.boolean() }),
    z.object({}),
  ),
  /**
   * Parts of its items in this order, behind the place `from` or the item `after` (null: from the beginning),
   * of at most so many items, of the one with the id `only` where that is not null; as many as have
   * `maxBytes`, and one at least. `isMore`: there are parts behind the last of these. `rawBytes`: of all
   * items of the conversation.
   */
  read: operation(
    'metering.conversations.read',
    z.object({
      ...owned,
      order: z.enum(['asc', 'desc']),
      from: z.object({ ordinal: z.number().int(), part: z.number().int() }).nullable(),
      after: id.nullable(),
      only: id.nullable(),
      items: z.number().int().positive(),
      maxBytes: z.number().int(),
    }),
    // What is no Base64 of what edge sealed does not open, so that it is not looked at here.
    z.object({ parts: z.array(itemPart.extend({ content: z.string() })), isMore: z.boolean(), rawBytes: count }),
  ),
  removeItem: operation('metering.conversations.remove-item', z.object({ ...owned, itemId: id }), head),
};
