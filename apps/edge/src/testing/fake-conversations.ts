import { ControlError } from '@tollgate/contracts';
import { conversationOperations } from '@tollgate/contracts/metering';
import type { ItemPart } from '@tollgate/contracts/metering';
import type { NatsConnection, Subscription } from 'nats';
import { respond } from './control-responder';

interface Named {
  accountId: string;
  id: string;
}

interface Conversation extends Named {
  createdAt: number;
  content: string;
  lockId: string | null;
  parts: ItemPart[];
}

/** Conversations as metering keeps them, in memory. `checkPresence` throws while it is away. */
export class FakeConversations {
  readonly all: Conversation[] = [];
  /** Set: nothing more is taken, with this to say. */
  refusal: string | null = null;

  constructor(private readonly checkPresence: () => void) {}

  serve(connection: NatsConnection): Subscription[] {
    const { create, find, describe, remove, lock, unlock, add, read, removeItem } = conversationOperations;
    return [
      respond(connection, create, (made) => {
        this.checkPresence();
        this.all.push({ ...made, lockId: null, parts: [] });
        return {};
      }),
      respond(connection, find, (named) => headOf(this.find(named))),
      respond(connection, describe, ({ content, ...named }) => headOf(Object.assign(this.find(named), { content }))),
      respond(connection, remove, (named) => {
        this.all.splice(this.all.indexOf(this.find(named)), 1);
        return {};
      }),
      respond(connection, lock, ({ lockId, ...named }) => {
        const found = this.find(named);
        checkFree(found, lockId);
        found.lockId = lockId;
        return { nextOrdinal: found.parts.length, rawBytes: 0 };
      }),
      respond(connection, unlock, ({ lockId, ...named }) => {
        const found = this.find(named);
        if (found.lockId === lockId) found.lockId = null;
        return {};
      }),
      respond(connection, add, ({ lockId, parts, isLast, ...named }) => {
        const found = this.find(named);
        if (this.refusal !== null) throw new ControlError('forbidden', this.refusal);
        checkFree(found, lockId);
        found.parts.push(...parts);
        if (isLast) found.lockId = null;
        return {};
      }),
      respond(connection, read, ({ order, from, after, only, items, ...named }) => {
        const { parts } = this.find(named);
        const ordered = order === 'asc' ? parts : parts.toReversed();
        const begun = from ? ordered.findIndex((part) => part.ordinal === from.ordinal) + 1 : 0;
        const start = after === null ? begun : ordered.findIndex(({ itemId }) => itemId === after) + 1;
        if (after !== null && start === 0) throw new ControlError('not_found', 'It has no such item.');
        const left = ordered.slice(start).filter(({ itemId }) => only === null || itemId === only);
        // Two at a time, as where each is large.
        const told = left.slice(0, Math.min(items, 2));
        return {
          parts: told,
          isMore: left.length > told.length,
          rawBytes: parts.reduce((sum, one) => sum + one.rawBytes, 0),
        };
      }),
      respond(connection, removeItem, ({ itemId, ...named }) => {
        const found = this.find(named);
        checkFree(found, null);
        const left = found.parts.filter((part) => part.itemId !== itemId);
        if (left.length === found.parts.length) throw new ControlError('not_found', 'It has no such item.');
        return headOf(Object.assign(found, { parts: left }));
      }),
    ];
  }

  private find({ accountId, id }: Named): Conversation {
    this.checkPresence();
    const found = this.all.find((one) => one.accountId === accountId && one.id === id);
    if (!found) throw new ControlError('not_found', 'It is not kept.');
    return found;
  }
}

function checkFree({ lockId }: Conversation, own: string | null): void {
  if (lockId !== null && lockId !== own) throw new ControlError('conflict', 'Somebody else adds to it.');
}

function headOf({ createdAt, content }: Conversation): { createdAt: number; content: string } {
  return { createdAt, content };
}
