import { Injectable } from '@nestjs/common';
import { storedResponseOperations } from '@tollgate/contracts/metering';
import type { ReadPart, ReadTurn, TurnPart } from '@tollgate/contracts/metering';
import { ControlClient, dropPiece } from '@tollgate/messaging';
import { Clock } from '../clock';
import { joinedInTurns } from '../generation/in-turns';
import { MessagingLink } from '../messaging-link';
import { Settings } from '../settings';
import { keptAnswer, partBytes, roomBytes } from './kept-message';
import { TurnCipher } from './turn-cipher';
import { bytesOf, isPast, packed, unpacked } from './turn';
import type { Turn } from './turn';

/** Input, output and the rest of a response may each be as large as a body. */
const mostTimesLimit = 3;
const timeoutMs = 2_000;

/** A turn that is to be kept. */
export interface NewTurn extends Pick<TurnPart, 'accountId' | 'keyId' | 'id' | 'bornAt' | 'previous' | 'itemIds'> {
  readonly turn: Turn;
}

/**
 * A conversation as it is kept. Times are epoch milliseconds, of its last turn and of the first one that is
 * needed for it.
 */
export interface KeptTurns {
  readonly turns: Turn[];
  readonly bornAt: number;
  readonly oldestAt: number;
}

/**
 * What is asked for. `alone`: without the turns before it. `onSize` hears how many bytes there will be,
 * before they come, and may refuse them.
 */
interface Wanted {
  readonly accountId: string;
  readonly id: string;
  readonly alone: boolean;
  readonly onSize?: (bytes: number) => Promise<void> | void;
}

/** Kept responses: at metering, which cannot read them. */
@Injectable()
export class TurnStore {
  private readonly cipher: TurnCipher;

  constructor(
    private readonly control: ControlClient,
    private readonly link: MessagingLink,
    private readonly clock: Clock,
    private readonly settings: Settings,
  ) {
    this.cipher = new TurnCipher([settings.pepper, ...settings.formerPeppers]);
  }

  /** Resolves when it can be gone on from, by any edge. @throws ControlError when it cannot be kept. */
  async keep({ turn, ...facts }: NewTurn): Promise<void> {
    const { accountId, id } = facts;
    const bytes = await packed(turn);
    const size = partBytes(this.link);
    const parts = Math.max(1, Math.ceil(bytes.length / size));
    // The first one last: with it the turn is there.
    for (let part = parts - 1; part >= 0; part--) {
      const sealed = this.cipher.seal(bytes.subarray(part * size, (part + 1) * size), { accountId, id, part, parts });
      const content = sealed.toString('base64');
      dropPiece(sealed);
      const itemIds = part === 0 ? facts.itemIds : [];
      const kept = { ...facts, itemIds, part, parts, rawBytes: bytesOf(turn), content };
      await this.control.call(storedResponseOperations.keep, kept, { timeoutMs });
    }
    dropPiece(bytes);
  }

  /**
   * Null: nobody of this account has it.
   * @throws GatewayError 503 while it cannot be read; what `onSize` throws.
   */
  async read({ accountId, id, alone, onSize }: Wanted): Promise<KeptTurns | null> {
    const page = (from: number, turns?: ReadTurn[]) =>
      keptAnswer(() => this.control.call(storedResponseOperations.read, { ...wanted, from, turns }, { timeoutMs }));
    const wanted = { accountId, id, alone, maxBytes: roomBytes(this.link) };
    const first = await page(0);
    if (!first) return null;
    await onSize?.(first.rawBytes);
    const turns: Turn[] = [];
    const pieces: Buffer[] = [];
    for (let next: Awaited<ReturnType<typeof page>> = first; ; next = await page(next.next, first.turns)) {
      // As it comes: behind the last page all of it would be opened in one turn of the event loop.
      if (!next || !(await this.open(accountId, next.parts, pieces, turns))) return null;
      if (next.next === null) break;
    }
    const last = turns.at(-1);
    if (last && isPast(last, this.clock.nowMs())) return null;
    return { turns, bornAt: first.bornAt, oldestAt: first.oldestAt };
  }

  /** The ids of kept responses whose output holds one of these items. @throws GatewayError 503 as `read`. */
  async holding(accountId: string, itemIds: string[]): Promise<string[]> {
    const asked = { accountId, itemIds: itemIds.slice(0, 1_000) };
    const reply = await keptAnswer(() => this.control.call(storedResponseOperations.holding, asked, { timeoutMs }));
    return reply?.ids ?? [];
  }

  /** False: nobody of this account has it. @throws GatewayError 503 as `read`. */
  async remove(accountId: string, id: string): Promise<boolean> {
    const removed = { accountId, id };
    return (
      (await keptAnswer(() => this.control.call(storedResponseOperations.remove, removed, { timeoutMs }))) !== null
    );
  }

  /** Opens these parts, and adds each turn that is whole with them. False: one cannot be opened. */
  private async open(accountId: string, parts: readonly ReadPart[], pieces: Buffer[], turns: Turn[]): Promise<boolean> {
    for (const { id, part, parts: all, content } of parts) {
      const sealed = Buffer.from(content, 'base64');
      const piece = this.cipher.open(sealed, { accountId, id, part, parts: all });
      dropPiece(sealed);
      if (!piece) return false;
      pieces.push(piece);
      if (part < all - 1) continue;
      const whole = await joinedInTurns(pieces);
      for (const one of pieces.splice(0)) dropPiece(one);
      turns.push(await unpacked(whole, mostTimesLimit * this.settings.bodyLimit));
      dropPiece(whole);
    }
    return true;
  }
}
