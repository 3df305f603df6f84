import { z } from 'zod';
import { operation } from '../operation';
import { text } from '../text';

/**
 * How long a response is kept, milliseconds: as long as OpenAI keeps them.
 * https://platform.openai.com/docs/guides/conversation-state
 */
export const storedResponseMs = 30 * 86_400_000;
/**
 * A turn stands on none that is older than this before it, milliseconds: where one would, it is kept with the
 * whole conversation, so that old days can be dropped.
 */
export const longestChainMs = 86_400_000;

const id = text(256).min(1);
const time = z.number().int();

/**
 * Whose it is. Never taken from a caller: edge fills it in by who asks. What belongs to another account is
 * `not_found`.
 */
const owned = { accountId: id, id };

/**
 * A part of a turn: what was new in the input of a response, its output and the response itself, which edge
 * has encrypted. Its turn is there for others once part 0 is. `bornAt` is that of the turn, epoch
 * milliseconds. `previous`: the turn that it stands on; null: none. `rawBytes`: of its input and output as
 * JSON. `itemIds`: of its output.
 */
const turnPart = z.object({
  ...owned,
  keyId: id,
  bornAt: time,
  previous: z.object({ id, bornAt: time }).nullable(),
  part: z.number().int().nonnegative(),
  parts: z.number().int().positive(),
  rawBytes: z.number().int().nonnegative(),
  itemIds: z.array(text(256)).max(10_000),
  content: z.base64(),
});
export type TurnPart = z.infer<typeof turnPart>;

/** A part as it is read. What is no Base64 of what edge sealed does not open: that is not looked at here. */
const readPart = turnPart.pick({ id: true, bornAt: true, part: true, parts: true }).extend({ content: z.string() });
export type ReadPart = z.infer<typeof readPart>;

/**
 * A turn of those that a read is of, as the first page tells it and the next ones are asked with, so that
 * nobody looks for it again.
 */
const readTurn = turnPart.pick({ id: true, bornAt: true, parts: true, rawBytes: true });
export type ReadTurn = z.infer<typeof readTurn>;

/**
 * Responses that can be asked for again, and gone on from. Metering keeps them, for `storedResponseMs`, and
 * cannot read them.
 */
export const storedResponseOperations = {
  /**
   * Keeps a part of a turn. One that is there already stays as it is. `not_found`: what it stands on is not
   * there any more.
   */
  keep: operation('metering.stored-responses.keep', turnPart, z.object({})),
  /**
   * The parts of a response's turn (`alone`), or of all the turns up to it, the oldest first: from the part
   * with the number `from` on, as many as have `maxBytes`, and one at least. `next` null: these were the
   * last. `rawBytes` and `oldestAt` are of all of them. `turns`: which those are; a service of the release
   * before neither tells them nor heeds them.
   */
  read: operation(
    'metering.stored-responses.read',
    z.object({
      ...owned,
      alone: z.boolean(),
      from: z.number().int().nonnegative(),
      maxBytes: z.number().int(),
      turns: z.array(readTurn).max(1_000).optional(),
    }),
    z.object({
      parts: z.array(readPart),
      next: z.number().int().nullable(),
      rawBytes: z.number(),
      bornAt: time,
      oldestAt: time,
      turns: z.array(readTurn).optional(),
    }),
  ),
  /** The newest responses whose output holds items with these ids; those that nobody has are left out. */
  holding: operation(
    'metering.stored-responses.holding',
    z.object({ accountId: id, itemIds: z.array(text(256)).max(1_000) }),
    z.object({ ids: z.array(z.string()) }),
  ),
  /**
   * Removes a response. What others were gone on from with stays for them alone, until they are removed too.
   */
  remove: operation('metering.stored-responses.remove', z.object(owned), z.object({})),
};
