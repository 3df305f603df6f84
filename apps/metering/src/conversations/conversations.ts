import { Injectable, Optional } from '@nestjs/common';
import { ControlError } from '@tollgate/contracts';
import { conversationLeaseMs, conversationMs, mostConversationItems } from '@tollgate/contracts/metering';
import type { ItemPart } from '@tollgate/contracts/metering';
import { Prisma } from '@tollgate/database';
import type { Queries } from '@tollgate/database';
import { Databases } from '../databases';
import type { ConversationReply, ConversationRequest } from '../operations';
import { StoredBytes } from '../stored-responses/stored-bytes';
import { mostPartsRead, nextParts } from './next-parts';

/** An account's conversation. */
interface Named {
  accountId: string;
  id: string;
}

/** A conversation whose row is locked. */
interface Locked {
  day: Date;
  createdAt: Date;
  content: Uint8Array;
  nextOrdinal: number;
  rawBytes: bigint;
  lockId: string | null;
  lockedUntil: Date | null;
}

interface PartRow extends Omit<ItemPart, 'content' | 'rawBytes'> {
  rawBytes: bigint;
  content: Uint8Array;
}

/**
 * Conversations that callers keep here, as edge has encrypted them. Whoever changes one has its row, so each
 * sees what the one before it did.
 */
@Injectable()
export class Conversations {
  constructor(
    private readonly databases: Databases,
    private readonly room: StoredBytes,
    @Optional() private readonly now: () => number = Date.now,
  ) {}

  /** @throws ControlError `forbidden` for an account that has stored as much as it may. */
  async create({ createdAt, content, ...facts }: ConversationRequest<'create'>): Promise<void> {
    await this.room.checkRoom(facts.accountId, 0);
    const times = { createdAt: new Date(createdAt), touchedAt: new Date(this.now()), day: this.today() };
    await this.databases.operations.conversation.create({ data: { ...facts, ...times, content: bytes(content) } });
  }

  /**
   * @throws ControlError `not_found` for what is not there, is another account's, was removed, or is too old.
   */
  async find({ accountId, id }: ConversationRequest<'find'>): Promise<ConversationReply<'find'>> {
    const found = await this.databases.operations.conversation.findFirst({ where: this.living(accountId, id) });
    if (!found) throw notFound(id);
    return headOf(found);
  }

  /** @throws ControlError as `find`. */
  async describe({ accountId, id, content }: ConversationRequest<'describe'>): Promise<ConversationReply<'describe'>> {
    const data = { content: bytes(content) };
    const { count } = await this.databases.operations.conversation.updateMany({
      where: this.living(accountId, id),
      data,
    });
    if (count === 0) throw notFound(id);
    return this.find({ accountId, id });
  }

  /**
   * With all its items, a part of them at a time. Who adds to it just now finds it gone, as everybody does
   * from the first on; what is left of a long one, or where that breaks off, goes within a minute.
   * @throws ControlError as `find`.
   */
  async remove(named: ConversationRequest<'remove'>): Promise<void> {
    const { operations } = this.databases;
    const { accountId, id } = named;
    const standing = [{ touchedAt: { gt: this.keptSince() } }, { touchedAt: removed }];
    const { count } = await operations.conversation.updateMany({
      where: { accountId, id, OR: standing },
      data: { touchedAt: removed },
    });
    if (count === 0) throw notFound(id);
    await removeRest(operations, named, mostRemovedAtOnce);
  }

  /** What is left of removals: nobody sees it, and nobody may ask for it again. @throws the first failure. */
  async finishRemovals(): Promise<void> {
    const { ingest } = this.databases;
    // In the very words of the index.
    const left = await ingest.$queryRaw<Named[]>`
      SELECT account_id AS "accountId", id FROM conversation
      WHERE touched_at = '1970-01-01T00:00:00Z'::timestamptz LIMIT ${mostFinishedAtOnce}`;
    const failures: unknown[] = [];
    for (const named of left) await removeRest(ingest, named).catch((error: unknown) => failures.push(error));
    if (failures.length > 0) throw failures[0];
  }

  /** @throws ControlError as `find`; `conflict` while somebody else has it. */
  lock({ accountId, id, lockId }: ConversationRequest<'lock'>): Promise<ConversationReply<'lock'>> {
    return this.having({ accountId, id }, async (queries, held) => {
      this.checkFree(held, lockId);
      if (held.lockId !== lockId) {
        // What somebody left behind that died while it added.
        const left = { accountId, conversationId: id, ordinal: { gte: held.nextOrdinal } };
        await queries.conversationItem.deleteMany({ where: left });
      }
      const lockedUntil = new Date(this.now() + conversationLeaseMs);
      await queries.conversation.updateMany({ where: { accountId, id }, data: { lockId, lockedUntil } });
      return { nextOrdinal: held.nextOrdinal, rawBytes: Number(held.rawBytes) };
    });
  }

  /** Nothing, where somebody else has it, or it is gone. */
  async unlock({ accountId, id, lockId }: ConversationRequest<'unlock'>): Promise<void> {
    const data = { lockId: null, lockedUntil: null };
    await this.databases.operations.conversation.updateMany({ where: { accountId, id, lockId }, data });
  }

  /**
   * @throws ControlError as `find`; `conflict` where the lock was lost; `forbidden` for an account that has
   * stored as much as it may, or too many items.
   */
  async add({ accountId, id, lockId, parts, isLast }: ConversationRequest<'add'>): Promise<void> {
    const rows = parts.map(({ content, ...part }) => ({ ...part, content: bytes(content) }));
    const size = rows.reduce((sum, { content }) => sum + content.length, 0);
    await this.room.checkRoom(accountId, size);
    await this.having({ accountId, id }, async (queries, held) => {
      if (held.lockId !== lockId) throw locked(id);
      const ordinals = rows.map(({ ordinal }) => ordinal);
      if (Math.min(...ordinals) < held.nextOrdinal)
        throw new ControlError('invalid', 'There is an item at this place.');
      if (Math.max(...ordinals) >= mostConversationItems) throw tooMany();
      const data = rows.map((row) => ({ ...row, accountId, conversationId: id, day: held.day }));
      await queries.conversationItem.createMany({ data, skipDuplicates: true });
      if (isLast) await this.show({ accountId, id }, queries, held);
    });
  }

  /** All that was added is there for others from now on, and everything lies in the partition of today. */
  private async show({ accountId, id }: Named, queries: Queries<'metering'>, held: Locked) {
    const added = { accountId, conversationId: id, ordinal: { gte: held.nextOrdinal }, part: 0 };
    const items = await queries.conversationItem.findMany({ where: added, select: { ordinal: true, rawBytes: true } });
    const day = this.today();
    if (day.getTime() !== held.day.getTime()) await moveItems(queries, { accountId, id }, day);
    await queries.conversation.updateMany({
      where: { accountId, id },
      data: {
        nextOrdinal: Math.max(held.nextOrdinal, ...items.map(({ ordinal }) => ordinal + 1)),
        rawBytes: held.rawBytes + items.reduce((sum, { rawBytes }) => sum + rawBytes, 0n),
        touchedAt: new Date(this.now()),
        day,
        lockId: null,
        lockedUntil: null,
      },
    });
  }

  /** @throws ControlError as `find`; `not_found` also for an item `after` that is not there. */
  async read(wanted: ConversationRequest<'read'>): Promise<ConversationReply<'read'>> {
    const { accountId, id, order, after, only, items, maxBytes } = wanted;
    const head = await this.databases.operations.conversation.findFirst({ where: this.living(accountId, id) });
    if (!head) throw notFound(id);
    const from = after === null ? wanted.from : { ordinal: await this.ordinalOf(accountId, id, after), part: lastPart };
    const next = nextParts({ accountId, id, order, from, only, before: head.nextOrdinal });
    const sorted = Prisma.sql`ordinal ${Prisma.raw(order === 'asc' ? 'ASC' : 'DESC')}`;
    const rows = await this.databases.operations.$queryRaw<(PartRow & { left: bigint })[]>`
      SELECT ordinal, item_id AS "itemId", part, parts, raw_bytes AS "rawBytes", content, "left" FROM (
        SELECT *, sum(octet_length(content)) OVER (ORDER BY ${sorted}, part) AS bytes,
          dense_rank() OVER (ORDER BY ${sorted}) AS item, count(*) OVER () AS "left"
        FROM (${next}) AS next
      ) AS found
      WHERE item <= ${items} AND (bytes <= ${maxBytes} OR bytes = octet_length(content))
      ORDER BY ${sorted}, part LIMIT ${mostPartsRead}`;
    return {
      parts: rows.map(({ left: _, content, rawBytes, ...row }) => ({
        ...row,
        rawBytes: Number(rawBytes),
        content: Buffer.from(content).toString('base64'),
      })),
      isMore: rows.length > 0 && Number(rows[0]?.left) > rows.length,
      rawBytes: Number(head.rawBytes),
    };
  }

  /** @throws ControlError as `find`, of the item too; `conflict` while somebody adds to it. */
  removeItem({ accountId, id, itemId }: ConversationRequest<'removeItem'>): Promise<ConversationReply<'removeItem'>> {
    return this.having({ accountId, id }, async (queries, held) => {
      this.checkFree(held, null);
      const named = { accountId, conversationId: id, itemId, ordinal: { lt: held.nextOrdinal } };
      const items = await queries.conversationItem.findMany({
        where: { ...named, part: 0 },
        select: { rawBytes: true },
      });
      if (items.length === 0) throw noItem(itemId);
      await queries.conversationItem.deleteMany({ where: named });
      const rawBytes = held.rawBytes - items.reduce((sum, item) => sum + item.rawBytes, 0n);
      await queries.conversation.updateMany({ where: { accountId, id }, data: { rawBytes } });
      return headOf(held);
    });
  }

  /** Does something with a conversation that nobody else changes meanwhile. */
  private having<Result>(
    { accountId, id }: Named,
    change: (queries: Queries<'metering'>, held: Locked) => Promise<Result>,
  ): Promise<Result> {
    return this.databases.operations.$transaction(async (queries) => {
      const [held] = await queries.$queryRaw<Locked[]>`
        SELECT day, created_at AS "createdAt", content, next_ordinal AS "nextOrdinal", raw_bytes AS "rawBytes",
          lock_id AS "lockId", locked_until AS "lockedUntil"
        FROM conversation WHERE account_id = ${accountId} AND id = ${id} AND touched_at > ${this.keptSince()}
        FOR UPDATE`;
      if (!held) throw notFound(id);
      return change(queries, held);
    });
  }

  private checkFree({ lockId, lockedUntil }: Locked, own: string | null): void {
    if (lockId !== null && lockId !== own && (lockedUntil?.getTime() ?? 0) > this.now()) throw locked(lockId);
  }

  /** @throws ControlError `not_found`. */
  private async ordinalOf(accountId: string, conversationId: string, itemId: string): Promise<number> {
    const where = { accountId, conversationId, itemId, part: 0 };
    const item = await this.databases.operations.conversationItem.findFirst({ where, select: { ordinal: true } });
    if (!item) throw noItem(itemId);
    return item.ordinal;
  }

  private living(accountId: string, id: string) {
    return { accountId, id, touchedAt: { gt: this.keptSince() } };
  }

  private keptSince(): Date {
    return new Date(this.now() - conversationMs);
  }

  /** The day of now (UTC), at its midnight. */
  private today(): Date {
    return new Date(new Date(this.now()).toISOString().slice(0, 10));
  }
}

/** Behind every part of an item. */
const lastPart = 2_147_483_647;
/** Items of a conversation that are removed, or moved, at once: so many take no statement's whole time. */
const mostItemsChanged = 2_000;
/** Items that are removed while who asked for it waits. */
const mostRemovedAtOnce = 10_000;
/** When one was touched last that is being removed: nobody finds it any more. */
const removed = new Date(0);
/** The others come with the next turn. */
const mostFinishedAtOnce = 100;

/** The items of one that is hidden, so many at most, from the last on, and then itself. */
async function removeRest(queries: Queries<'metering'>, named: Named, most = Infinity): Promise<void> {
  const { accountId, id } = named;
  const items = { accountId, conversationId: id };
  const last = await endOf(queries, named);
  for (let end = last; end > 0; end -= mostItemsChanged) {
    if (last - end >= most) return;
    await queries.conversationItem.deleteMany({ where: { ...items, ordinal: { gte: end - mostItemsChanged } } });
  }
  await queries.conversation.deleteMany({ where: { accountId, id } });
}

/** All items to the partition of a day. */
async function moveItems(queries: Queries<'metering'>, named: Named, day: Date): Promise<void> {
  const items = { accountId: named.accountId, conversationId: named.id };
  for (let end = await endOf(queries, named); end > 0; end -= mostItemsChanged) {
    const ordinal = { gte: end - mostItemsChanged, lt: end };
    await queries.conversationItem.updateMany({ where: { ...items, ordinal }, data: { day } });
  }
}

/** The place behind the last item. */
async function endOf(queries: Queries<'metering'>, { accountId, id }: Named): Promise<number> {
  const where = { accountId, conversationId: id };
  const { _max: last } = await queries.conversationItem.aggregate({ where, _max: { ordinal: true } });
  return (last.ordinal ?? -1) + 1;
}

function bytes(base64: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(Buffer.from(base64, 'base64'));
}

function headOf({ createdAt, content }: { createdAt: Date; content: Uint8Array }): ConversationReply<'find'> {
  return { createdAt: createdAt.getTime(), content: Buffer.from(content).toString('base64') };
}

function notFound(id: string): ControlError {
  return new ControlError('not_found', `No conversation ${id} is kept.`);
}

function noItem(id: string): ControlError {
  return new ControlError('not_found', `No item ${id} is in this conversation.`);
}

function locked(id: string): ControlError {
  return new ControlError('conflict', `Somebody else adds to this conversation (${id}).`);
}

function tooMany(): ControlError {
  return new ControlError('forbidden', `A conversation has at most ${mostConversationItems} items.`);
}
