import { ControlError } from '@tollgate/contracts';
import { storedResponseOperations } from '@tollgate/contracts/metering';
import type { TurnPart } from '@tollgate/contracts/metering';
import type { NatsConnection, Subscription } from 'nats';
import { respond } from './control-responder';

/** Kept responses as metering keeps them, in memory. `checkPresence` throws while it is away. */
export class FakeTurns {
  readonly parts: TurnPart[] = [];
  /** The ids of what was read. */
  readonly reads: string[] = [];

  constructor(private readonly checkPresence: () => void) {}

  serve(connection: NatsConnection): Subscription[] {
    const { keep, read, holding, remove } = storedResponseOperations;
    return [
      respond(connection, keep, (part) => {
        this.checkPresence();
        this.parts.push(part);
        return {};
      }),
      respond(connection, read, ({ accountId, id, alone, from }) => {
        const last = this.find(accountId, id);
        this.reads.push(id);
        const turns = alone ? [last] : this.upTo(last);
        const parts = turns.flatMap((turn) =>
          this.parts
            .filter((one) => one.accountId === accountId && one.id === turn.id && one.bornAt === turn.bornAt)
            .sort((a, b) => a.part - b.part),
        );
        return {
          // One at a time, as where each is large.
          parts: parts.slice(from, from + 1),
          next: from + 1 < parts.length ? from + 1 : null,
          rawBytes: turns.reduce((sum, { rawBytes }) => sum + rawBytes, 0),
          bornAt: last.bornAt,
          oldestAt: turns[0]?.bornAt ?? 0,
        };
      }),
      respond(connection, holding, ({ accountId, itemIds }) => {
        this.checkPresence();
        const holds = (one: TurnPart) =>
          one.accountId === accountId && one.itemIds.some((itemId) => itemIds.includes(itemId));
        return { ids: this.parts.filter(holds).map(({ id }) => id) };
      }),
      respond(connection, remove, ({ accountId, id }) => {
        this.parts.splice(this.parts.indexOf(this.find(accountId, id)), 1);
        return {};
      }),
    ];
  }

  private upTo(turn: TurnPart): TurnPart[] {
    const { accountId, previous } = turn;
    return previous ? [...this.upTo(this.find(accountId, previous.id, previous.bornAt)), turn] : [turn];
  }

  /** The newest of this id, or the one that was born then. */
  private find(accountId: string, id: string, bornAt?: number): TurnPart {
    this.checkPresence();
    const found = this.parts
      .filter((one) => one.accountId === accountId && one.id === id && one.part === 0)
      .filter((one) => bornAt === undefined || one.bornAt === bornAt)
      .reduce<TurnPart | null>((newest, one) => (newest && newest.bornAt >= one.bornAt ? newest : one), null);
    if (!found) throw new ControlError('not_found', 'It is not kept.');
    return found;
  }
}
