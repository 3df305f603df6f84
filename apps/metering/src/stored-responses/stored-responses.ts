import { Injectable, Optional } from '@nestjs/common';
import { ControlError } from '@tollgate/contracts';
import {
  backgroundEventsId,
  backgroundPartIds,
  mostBackgroundLogs,
  storedResponseMs,
} from '@tollgate/contracts/metering';
import type { ReadPart, ReadTurn, TurnPart } from '@tollgate/contracts/metering';
import { Databases } from '../databases';
import type { StoredResponseReply, StoredResponseRequest } from '../operations';
import { StoredBytes } from './stored-bytes';

/** A conversation of more turns is not gone on from in one request: each is looked for by itself. */
const mostTurns = 1_000;

/** What a page tells of turns takes no more of a message, which its parts fill; hundreds of turns fit. */
const mostTurnsBytes = 32_768;

/** Parts that are looked for at once. */
const mostPlaces = 1_000;

/** Pieces of events that are removed at once. */
const mostPieces = 200;

/** What is known of one turn of a conversation. */
interface Turn {
  id: string;
  bornAt: Date;
  parts: number;
  rawBytes: bigint;
  /** The turn that it stands on; null: none. */
  previousId: string | null;
}

/** Where a part lies. */
interface Place {
  id: string;
  bornAt: Date;
  part: number;
  parts: number;
}

/** Responses that callers may ask for again and go on from, as edge has encrypted them. */
@Injectable()
export class StoredResponses {
  constructor(
    private readonly databases: Databases,
    private readonly room: StoredBytes,
    @Optional() private readonly now: () => number = Date.now,
  ) {}

  /**
   * Keeps a part; one that is there stays as it is.
   * @throws ControlError `not_found` where the turn that it stands on was removed meanwhile; `forbidden` for
   * an account that has stored as much as it may.
   */
  async keep({ previous, bornAt, content, ...part }: TurnPart): Promise<void> {
    const row = {
      ...part,
      bornAt: new Date(bornAt),
      previousId: previous?.id ?? null,
      previousBornAt: previous && new Date(previous.bornAt),
      content: Uint8Array.from(Buffer.from(content, 'base64')),
    };
    await this.room.checkRoom(part.accountId, row.content.length);
    await this.databases.operations.storedTurn.createMany({ data: [row], skipDuplicates: true });
    if (!previous || part.part > 0) return;
    // Only now: from here on nobody drops what it stands on.
    const { accountId, id } = part;
    const standsOn = { accountId, id: previous.id, part: 0, bornAt: new Date(previous.bornAt) };
    if ((await this.databases.operations.storedTurn.count({ where: standsOn })) > 0) return;
    await this.databases.operations.storedTurn.deleteMany({ where: { accountId, id, bornAt: row.bornAt } });
    throw notFound(previous.id);
  }

  /**
   * @throws ControlError `not_found` for what is not there, is another account's, was removed, or is too old.
   */
  async read(wanted: StoredResponseRequest<'read'>): Promise<StoredResponseReply<'read'>> {
    const { accountId, id, from, maxBytes } = wanted;
    const turns = wanted.turns?.length ? wanted.turns : await this.turnsOf(wanted);
    const places = turns.flatMap(({ id: turn, bornAt, parts }) =>
      Array.from({ length: parts }, (_, part) => ({ id: turn, bornAt: new Date(bornAt), part, parts })),
    );
    const parts = await this.contents(accountId, places.slice(from, from + mostPlaces), maxBytes);
    const next = from + parts.length;
    if (parts.length === 0) throw notFound(id);
    return {
      parts,
      next: next < places.length ? next : null,
      rawBytes: turns.reduce((sum, { rawBytes }) => sum + rawBytes, 0),
      bornAt: turns.at(-1)?.bornAt ?? 0,
      oldestAt: Math.min(...turns.map(({ bornAt }) => bornAt)),
      ...(next < places.length && JSON.stringify(turns).length <= mostTurnsBytes && { turns }),
    };
  }

  /** The turns that a read is of, the oldest first. @throws ControlError `not_found`. */
  private async turnsOf({ accountId, id, alone }: StoredResponseRequest<'read'>): Promise<ReadTurn[]> {
    const last = await this.find(accountId, id);
    if (!last) throw notFound(id);
    const turns = alone ? [last] : await this.turnsUpTo(accountId, last);
    return turns.map(({ id: turn, bornAt, parts, rawBytes }) => {
      return { id: turn, bornAt: bornAt.getTime(), parts, rawBytes: Number(rawBytes) };
    });
  }

  /**
   * As many parts from the first on as have `maxBytes`, and one at least. Fewer where one is not there any
   * more.
   */
  private async contents(accountId: string, places: readonly Place[], maxBytes: number): Promise<ReadPart[]> {
    const rows = await this.databases.operations.$queryRaw<{ ordinal: bigint; content: Uint8Array }[]>`
      SELECT ordinal, content FROM (
        SELECT wanted.ordinal, turn.content, sum(octet_length(turn.content)) OVER (ORDER BY wanted.ordinal) AS bytes
        FROM unnest(
          ${places.map(({ id }) => id)}::text[],
          ${places.map(({ bornAt }) => bornAt.toISOString())}::timestamptz[],
          ${places.map(({ part }) => part)}::int[]
        ) WITH ORDINALITY AS wanted(id, born_at, part, ordinal)
        JOIN stored_turn AS turn ON turn.account_id = ${accountId} AND turn.id = wanted.id
          AND turn.born_at = wanted.born_at AND turn.part = wanted.part
      ) AS found WHERE bytes <= ${maxBytes} OR ordinal = 1 ORDER BY ordinal`;
    return rows.flatMap(({ ordinal, content }, index) => {
      const place = places[index];
      if (!place || ordinal !== BigInt(index + 1)) return [];
      return [{ ...place, bornAt: place.bornAt.getTime(), content: Buffer.from(content).toString('base64') }];
    });
  }

  /** Of each item the newest response whose output holds it. */
  async holding(accountId: string, itemIds: readonly string[]): Promise<string[]> {
    const rows = await this.databases.operations.$queryRaw<{ id: string }[]>`
      SELECT DISTINCT ON (item) turn.id FROM unnest(${[...itemIds]}::text[]) AS item
      JOIN stored_turn AS turn ON turn.item_ids @> ARRAY[item] AND turn.account_id = ${accountId}
        AND turn.part = 0 AND NOT turn.removed AND turn.born_at > ${this.keptSince()}
      ORDER BY item, turn.born_at DESC`;
    return [...new Set(rows.map(({ id }) => id))];
  }

  /**
   * Removes a response, and with it those before it that were removed earlier and that nothing else stands
   * on.
   * @throws ControlError `not_found`.
   */
  async remove(accountId: string, id: string): Promise<void> {
    const count = await this.databases.operations.$executeRaw`
      UPDATE stored_turn SET removed = true
      WHERE account_id = ${accountId} AND id = ${id} AND NOT removed AND born_at > ${this.keptSince()}`;
    if (count === 0) throw notFound(id);
    // Of one that is still being made: who works on it finds that it is not there any more, and keeps
    // nothing.
    const { operations } = this.databases;
    await operations.backgroundResponse.deleteMany({ where: { accountId, id } });
    await operations.storedTurn.deleteMany({ where: { accountId, id: { in: backgroundPartIds(id) } } });
    for (let making = 1; making <= mostBackgroundLogs; making++) await this.dropEvents(accountId, id, making);
    for (let next: string | null = id; next !== null;) next = await this.dropUnneeded(accountId, next);
  }

  /** The events of a making: their pieces have numbers without a gap. */
  private async dropEvents(accountId: string, id: string, making: number): Promise<void> {
    for (let from = 0, count = 1; count > 0; from += mostPieces) {
      const ids = Array.from({ length: mostPieces }, (_, at) => backgroundEventsId(id, making, from + at));
      ({ count } = await this.databases.operations.storedTurn.deleteMany({ where: { accountId, id: { in: ids } } }));
    }
  }

  /** The id of the turn that this one stood on, if it went and stood on one. */
  private async dropUnneeded(accountId: string, id: string): Promise<string | null> {
    const gone = await this.databases.operations.$queryRaw<{ previous_id: string | null }[]>`
      DELETE FROM stored_turn AS turn
      WHERE account_id = ${accountId} AND id = ${id} AND removed AND NOT EXISTS (
        SELECT 1 FROM stored_turn AS later WHERE later.account_id = ${accountId} AND later.previous_id = turn.id
      )
      RETURNING previous_id`;
    return gone[0]?.previous_id ?? null;
  }

  private async find(accountId: string, id: string): Promise<Turn | null> {
    return this.databases.operations.storedTurn.findFirst({
      where: { accountId, id, part: 0, removed: false, bornAt: { gt: this.keptSince() } },
      orderBy: { bornAt: 'desc' },
      select: { id: true, bornAt: true, parts: true, rawBytes: true, previousId: true },
    });
  }

  /**
   * All turns of a conversation up to this one, the oldest first.
   * @throws ControlError `not_found` where one is missing.
   */
  private async turnsUpTo(accountId: string, last: Turn): Promise<Turn[]> {
    const turns = await this.databases.operations.$queryRaw<Turn[]>`
      WITH RECURSIVE chain AS (
        SELECT id, born_at, parts, raw_bytes, previous_id, previous_born_at, 1 AS depth
        FROM stored_turn WHERE account_id = ${accountId} AND id = ${last.id} AND part = 0 AND born_at = ${last.bornAt}
        UNION ALL
        SELECT turn.id, turn.born_at, turn.parts, turn.raw_bytes, turn.previous_id, turn.previous_born_at, chain.depth + 1
        FROM chain JOIN stored_turn AS turn
          ON turn.account_id = ${accountId} AND turn.id = chain.previous_id AND turn.part = 0
          AND turn.born_at = chain.previous_born_at
        WHERE chain.depth < ${mostTurns}
      )
      SELECT id, born_at AS "bornAt", parts, raw_bytes AS "rawBytes", previous_id AS "previousId"
      FROM chain ORDER BY depth DESC`;
    if (turns[0]?.previousId !== null) throw notFound(last.id);
    return turns;
  }

  private keptSince(): Date {
    return new Date(this.now() - storedResponseMs);
  }
}

function notFound(id: string): ControlError {
  return new ControlError('not_found', `No response ${id} is kept.`);
}
