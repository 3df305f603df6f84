import { Injectable } from '@nestjs/common';
import { ControlError, GatewayError } from '@tollgate/contracts';
import type { CallerKey } from '@tollgate/contracts/accounts';
import { conversationOperations, mostConversationItems } from '@tollgate/contracts/metering';
import type { ItemPart } from '@tollgate/contracts/metering';
import { ControlClient } from '@tollgate/messaging';
import { randomBytes } from 'node:crypto';
import type { z } from 'zod';
import { MessagingLink } from '../messaging-link';
import { Settings } from '../settings';
import type { NewItem } from './conversation-item';
import { compressed } from './compressed';
import { decompressed } from './compressed';
import { keptAnswer, partBytes, partEnvelopeBytes, roomBytes } from './kept-message';
import { OpenConversation } from './open-conversation';
import { TurnCipher } from './turn-cipher';

const timeoutMs = 2_000;
const mostParts = 1_000;

export type Metadata = Readonly<Record<string, string>>;

/** A conversation as callers are told of it. */
export interface ToldConversation {
  readonly id: string;
  readonly object: 'conversation';
  /** Seconds. */
  readonly created_at: number;
  readonly metadata: Metadata;
}

/** Whose conversation it is. */
interface Named {
  readonly accountId: string;
  readonly id: string;
}

/**
 * Which of its items are asked for; see the contract. `onSize` hears how many bytes all of them have, before
 * they come, and may refuse them.
 */
export interface WantedItems extends Named {
  readonly order: 'asc' | 'desc';
  readonly after?: string | null;
  readonly only?: string | null;
  readonly most?: number;
  readonly onSize?: (bytes: number) => Promise<void> | void;
}

type WantedPage = z.output<typeof conversationOperations.read.request>;
type Page = z.output<typeof conversationOperations.read.reply>;

/** An item as it came, as JSON text. */
interface KeptItem {
  readonly id: string;
  readonly text: Buffer;
}

/**
 * Conversations: at metering, which cannot read them. What another account has is not told apart from what is
 * not there.
 */
@Injectable()
export class ConversationStore {
  private readonly cipher: TurnCipher;
  /**
   * Those that this edge is giving back, so that whoever heard the end of an answer finds its conversation
   * free.
   */
  private readonly unlocking = new Map<string, Promise<void>>();

  constructor(
    private readonly control: ControlClient,
    private readonly link: MessagingLink,
    private readonly settings: Settings,
  ) {
    this.cipher = new TurnCipher([settings.pepper, ...settings.formerPeppers]);
  }

  /**
   * @throws GatewayError 403 for an account that has stored as much as it may; 503 while nothing can be kept.
   */
  async create({ id: keyId, accountId }: CallerKey, metadata: Metadata, createdAt: number): Promise<ToldConversation> {
    const named = { accountId, id: `conv_${randomBytes(24).toString('hex')}` };
    const content = this.sealed(named, metadata);
    const made = { ...named, keyId, createdAt, content };
    await this.changed(() => keptAnswer(() => this.control.call(conversationOperations.create, made, { timeoutMs })));
    return { id: named.id, object: 'conversation', created_at: Math.floor(createdAt / 1_000), metadata };
  }

  /** Null: nobody of this account has it. @throws GatewayError 503 while it cannot be read. */
  async find(named: Named): Promise<ToldConversation | null> {
    return this.told(named, () => this.control.call(conversationOperations.find, named, { timeoutMs }));
  }

  /** Gives it other metadata. Null and @throws as `find`. */
  async describe(named: Named, metadata: Metadata): Promise<ToldConversation | null> {
    const change = { ...named, content: this.sealed(named, metadata) };
    return this.told(named, () => this.control.call(conversationOperations.describe, change, { timeoutMs }));
  }

  /** False: nobody of this account has it. @throws as `find`. */
  async remove(named: Named): Promise<boolean> {
    const removed = await keptAnswer(() => this.control.call(conversationOperations.remove, named, { timeoutMs }));
    return removed !== null;
  }

  /**
   * The conversation without the item. Null: it, or the item, is not there.
   * @throws as `find`; GatewayError 400 while somebody adds to it.
   */
  async removeItem(named: Named, itemId: string): Promise<ToldConversation | null> {
    const item = { ...named, itemId };
    return this.told(named, () =>
      this.changed(() => this.control.call(conversationOperations.removeItem, item, { timeoutMs })),
    );
  }

  /**
   * Has it for one request alone. Null: nobody of this account has it.
   * @throws as `find`; GatewayError 400 while somebody else adds to it.
   */
  async open(named: Named): Promise<OpenConversation | null> {
    const place = { ...named, lockId: randomBytes(16).toString('hex') };
    await this.unlocking.get(named.id);
    const lock = () => this.control.call(conversationOperations.lock, place, { timeoutMs });
    const locked = await this.changed(() => keptAnswer(lock));
    if (!locked) return null;
    return new OpenConversation({
      // Where it is lost, adding to it fails.
      renew: () => lock().then(ignored, ignored),
      add: (items) => this.add(place, locked.nextOrdinal, items),
      unlock: () => this.unlock(place),
    });
  }

  /**
   * Adds items behind those that are there. Null: nobody of this account has it.
   * @throws as `open`; GatewayError 403 for an account that has stored as much as it may.
   */
  async append(named: Named, items: readonly NewItem[]): Promise<true | null> {
    const opened = await this.open(named);
    if (!opened) return null;
    try {
      const added = await this.changed(() => keptAnswer(() => opened.add(items).then(() => true as const)));
      return added;
    } finally {
      opened.release();
    }
  }

  /**
   * Its items, in order. `isMore`: there are others behind them. Null: it, or the item `after`, is not there.
   * @throws as `find`; what `onSize` throws.
   */
  async items(wanted: WantedItems): Promise<{ items: KeptItem[]; isMore: boolean } | null> {
    const { accountId, id, order, after = null, only = null, most = mostConversationItems, onSize } = wanted;
    const items: KeptItem[] = [];
    let pieces: Buffer[] = [];
    let from: WantedPage['from'] = null;
    do {
      const place = { accountId, id, order, only, from, after: from ? null : after };
      const page: Page | null = await this.page({ ...place, items: most - items.length });
      if (!page) return null;
      if (!from) await onSize?.(page.rawBytes);
      for (const part of page.parts) {
        pieces.push(this.opened(wanted, part));
        if (part.part < part.parts - 1) continue;
        items.push({ id: part.itemId, text: await decompressed(Buffer.concat(pieces), this.settings.bodyLimit) });
        pieces = [];
      }
      from = page.isMore ? (page.parts.at(-1) ?? null) : null;
    } while (from && items.length < most);
    return { items, isMore: from !== null };
  }

  private page(wanted: Omit<WantedPage, 'maxBytes'>): Promise<Page | null> {
    const asked = { ...wanted, maxBytes: roomBytes(this.link) };
    return keptAnswer(() => this.control.call(conversationOperations.read, asked, { timeoutMs }));
  }

  private async add(place: Named & { lockId: string }, from: number, items: readonly NewItem[]): Promise<void> {
    const room = roomBytes(this.link);
    let batch: ItemPart[] = [];
    let batchBytes = 0;
    const send = async (isLast: boolean) => {
      await this.control.call(conversationOperations.add, { ...place, parts: batch, isLast }, { timeoutMs });
      [batch, batchBytes] = [[], 0];
    };
    for (const [at, item] of items.entries())
      for (const part of await this.partsOf(place, from + at, item)) {
        const bytes = part.content.length * 0.75 + partEnvelopeBytes;
        if (batch.length === mostParts || (batchBytes > 0 && batchBytes + bytes > room)) await send(false);
        batch.push(part);
        batchBytes += bytes;
      }
    await send(true);
  }

  private async partsOf({ accountId, id }: Named, ordinal: number, { id: itemId, text }: NewItem): Promise<ItemPart[]> {
    const bytes = await compressed([text]);
    const size = partBytes(this.link);
    const parts = Math.max(1, Math.ceil(bytes.length / size));
    return Array.from({ length: parts }, (_, part) => {
      const place = { accountId, id: `${id}/${ordinal}`, part, parts };
      const content = this.cipher.seal(bytes.subarray(part * size, (part + 1) * size), place).toString('base64');
      return { ordinal, itemId, part, parts, rawBytes: text.length, content };
    });
  }

  private opened({ accountId, id }: Named, { ordinal, part, parts, content }: ItemPart): Buffer {
    const place = { accountId, id: `${id}/${ordinal}`, part, parts };
    const piece = this.cipher.open(Buffer.from(content, 'base64'), place);
    if (!piece) throw unreadable();
    return piece;
  }

  private unlock(place: Named & { lockId: string }): Promise<void> {
    const { id } = place;
    const unlocked: Promise<void> = this.control
      .call(conversationOperations.unlock, place, { timeoutMs })
      // Else its time runs out.
      .then(ignored, ignored)
      .finally(() => {
        if (this.unlocking.get(id) === unlocked) this.unlocking.delete(id);
      });
    this.unlocking.set(id, unlocked);
    return unlocked;
  }

  private sealed({ accountId, id }: Named, metadata: Metadata): string {
    const text = Buffer.from(JSON.stringify(metadata));
    return this.cipher.seal(text, { accountId, id, part: 0, parts: 1 }).toString('base64');
  }

  private async told(
    { accountId, id }: Named,
    call: () => Promise<{ createdAt: number; content: string }>,
  ): Promise<ToldConversation | null> {
    const head = await keptAnswer(call);
    if (!head) return null;
    const text = this.cipher.open(Buffer.from(head.content, 'base64'), { accountId, id, part: 0, parts: 1 });
    if (!text) throw unreadable();
    const metadata = JSON.parse(text.toString('utf8')) as Metadata;
    return { id, object: 'conversation', created_at: Math.floor(head.createdAt / 1_000), metadata };
  }

  /** @throws GatewayError for what was refused, and why. */
  private async changed<Result>(change: () => Promise<Result>): Promise<Result> {
    try {
      return await change();
    } catch (error) {
      if (error instanceof ControlError) throw refusalOf(error);
      throw error;
    }
  }
}

function ignored(): void {
  // Nothing waits for it.
}

function refusalOf(error: ControlError): Error {
  // In OpenAI's words and status: https://github.com/paulgmiller/careme/issues/379
  if (error.code === 'conflict')
    return new GatewayError(
      400,
      'Another process is currently operating on this conversation. Please retry in a few seconds.',
    ).because('conversation_locked', { param: 'conversation' });
  if (error.code !== 'forbidden') return error;
  return new GatewayError(
    403,
    `${error.message} Remove conversations or responses, or wait until they are 30 days old.`,
  ).because('storage_limit_exceeded');
}

function unreadable(): GatewayError {
  return new GatewayError(500, 'This conversation was kept under another pepper, and cannot be read.');
}
