import { Inject, Injectable } from '@nestjs/common';
import type { OnApplicationShutdown } from '@nestjs/common';
import { fromFailureElsewhere, GatewayError } from '@tollgate/contracts';
import type { CallerKey } from '@tollgate/contracts/accounts';
import { isDear } from '@tollgate/dialects/surface';
import type { Places, SurfaceRequest } from '@tollgate/dialects/surface';
import { hasOwnMemory, LargeBuffers, largeBytes, ThreadsByOwner } from '@tollgate/messaging';
import type { Logger } from '@tollgate/observability';
import { LOGGER } from '@tollgate/service';
import { join } from 'node:path';
import { ownerOf } from '../callers/authenticator';
import type { Found } from './guarded-body';
import { findItems, newItemsAt } from '../responses/conversation-item';
import type { NewItem } from '../responses/conversation-item';
import { readTold } from '../responses/told-response';
import type { ToldResponse } from '../responses/told-response';
import { handedOver, placesIn, toBuffer } from './body-task';
import type { BodyAnswer, BodyJob, BodyTask, LookedFacts, LookWish, PlacesWish } from './body-task';
import { copyInTurns } from './in-turns';
import { LargeBody } from './large-body';
import type { Operation } from './operations';
import { inputOf } from './request-size';
import { sentElsewhere } from './sent-request';
import type { SentRequest } from './sent-request';

/** What threads have copies of lies in so much memory at most while it is used again, bytes. */
const copiesBytes = 67_108_864;

/** Of whoever has this key. */
type OfKey = Pick<CallerKey, 'id' | 'accountId'>;

/** A body of a request of this key. */
interface DearBody {
  readonly operation: Operation;
  readonly key: OfKey & Pick<CallerKey, 'quotaTokens'>;
  readonly bytes: Buffer;
  /** Hears where these bytes lie when they came back, also of a body that is refused. */
  readonly moved: (from: Buffer, to: Buffer) => void;
}

/** With the headers that its surface passes on. */
interface CameBody extends DearBody {
  readonly providerHeaders: Readonly<Record<string, string>>;
}

/** A body that was looked through. `bytes`: what goes on. */
interface Looked extends LookedFacts {
  readonly bytes: Buffer;
}

/**
 * Works on dear bodies on threads of their own, so that nobody else waits for it; accounts take turns, and
 * their keys.
 */
@Injectable()
export class BodyThreads implements OnApplicationShutdown {
  private readonly threads: ThreadsByOwner<BodyJob, BodyAnswer>;
  private readonly copies = new LargeBuffers(copiesBytes);

  constructor(@Inject(LOGGER) private readonly logger: Logger) {
    this.threads = new ThreadsByOwner<BodyJob, BodyAnswer>(
      join(__dirname, 'body.worker'),
      handedOver,
      notReadable,
      logger,
    );
  }

  /**
   * The `bytes` that it is given may be empty from then on; those that it returns are the body's, in its
   * surface's own form.
   * @throws GatewayError as `readSent` does; 503 when its thread ended over it.
   */
  async read(body: CameBody): Promise<{ sent: SentRequest; bytes: Buffer }> {
    const { operation, key, providerHeaders } = body;
    const asker = { quotaTokens: key.quotaTokens, providerHeaders };
    const task = { name: 'read', path: operation.path, asker } as const;
    const answer = await this.asked(key, task, () => ownMemory(body.bytes));
    const bytes = toBuffer(answer.body);
    body.moved(body.bytes, bytes);
    const { read } = given(answer);
    if (!read) throw new Error('a thread read nothing');
    const count = (left: Uint8Array) => this.count(body, read.read, left);
    return { sent: sentElsewhere(read, count), bytes };
  }

  /**
   * Looks through a body that was read. The `bytes` that it is given may be empty from then on. `onFound`
   * hears what guardrails found.
   * @throws GatewayError 400 naming the guardrail that blocks it; 503 when its thread ended over it.
   */
  async look({ key, bytes: came, moved }: DearBody, wish: LookWish, onFound: (found: Found) => void): Promise<Looked> {
    const answer = await this.asked(key, { name: 'look', wish }, () => ownMemory(came));
    const bytes = toBuffer(answer.body);
    moved(came, bytes);
    for (const found of answer.found) onFound(found);
    const { looked } = given(answer);
    if (!looked) throw new Error('a thread looked at nothing');
    return { ...looked, bytes };
  }

  /**
   * Where JSON text has what is looked for; at once where that takes little. A large body goes to the thread
   * and comes back; what else there is is copied.
   * @throws GatewayError as `placesIn` does; 503 when its thread ended over it.
   */
  async find(key: OfKey, json: Uint8Array | LargeBody, wish: PlacesWish): Promise<Places> {
    const isLarge = json instanceof LargeBody;
    if (!isLarge && !isDear(json)) return placesIn(json, wish);
    const task = { name: 'find', wish } as const;
    const answer = await (isLarge
      ? this.asked(key, task, () => ownMemory(json.bytes))
      : this.askedOfCopy(key, task, [json]));
    if (isLarge) json.moved(toBuffer(answer.body));
    const { places } = given(answer);
    if (!places) throw new Error('a thread found nothing');
    return places;
  }

  /**
   * A response, which came in these pieces, as it is kept; at once where that takes little. Null: there is no
   * whole one.
   * @throws GatewayError 503 when its thread ended over it.
   */
  async takeApart(key: OfKey, pieces: readonly Uint8Array[], isEvent: boolean): Promise<ToldResponse | null> {
    if (lengthOf(pieces) <= largeBytes) {
      const json = Buffer.concat(pieces);
      if (!isDear(json)) return readTold(json, isEvent);
    }
    const { told } = given(await this.askedOfCopy(key, { name: 'take apart', isEvent }, pieces));
    if (told === undefined) throw new Error('a thread took nothing apart');
    return told;
  }

  /**
   * The items of a list that is JSON text, as a conversation keeps them; at once where that takes little.
   * @throws GatewayError 503 when its thread ended over it.
   */
  async newItems(key: OfKey, list: Uint8Array): Promise<NewItem[]> {
    if (!isDear(list)) return newItemsAt(list, findItems(list));
    const { items } = given(await this.askedOfCopy(key, { name: 'list' }, [list]));
    if (!items) throw new Error('a thread listed nothing');
    return newItemsAt(list, items);
  }

  /** Input tokens of a body that is left as it is, by tokenizer; as estimated where no thread counts them. */
  private async count(
    { operation, key }: Pick<DearBody, 'operation' | 'key'>,
    read: SurfaceRequest,
    bytes: Uint8Array,
  ): Promise<number> {
    const task = { name: 'count', path: operation.path } as const;
    try {
      const { tokens } = given(await this.askedOfCopy(key, task, [bytes]));
      if (tokens !== undefined) return tokens;
    } catch (error) {
      this.logger.warn({ err: error }, 'the tokens of a body are estimated, as they could not be counted');
    }
    return inputOf(read, bytes);
  }

  /** `body` is asked for when its turn comes. */
  private asked(key: OfKey, task: BodyTask, body: () => Uint8Array): Promise<BodyAnswer> {
    return this.threads.do(ownerOf(key), () => ({ body: body(), task }));
  }

  /**
   * The thread gets a copy, made when its turn comes: of what is large in turns of the event loop, while the
   * thread does other things, in memory that the next one has again.
   */
  private async askedOfCopy(key: OfKey, task: BodyTask, pieces: readonly Uint8Array[]): Promise<BodyAnswer> {
    const bytes = lengthOf(pieces);
    if (bytes <= largeBytes) return this.asked(key, task, () => copied(Buffer.concat(pieces)));
    let lies: ArrayBufferLike | null = null;
    let isTaken = false;
    try {
      const answer = await this.threads.doMade(ownerOf(key), async () => {
        const body = this.copies.take(bytes);
        isTaken = true;
        await copyInTurns(pieces, body);
        return { body, task };
      });
      lies = answer.body.buffer;
      return answer;
    } finally {
      if (isTaken) this.copies.giveBack(bytes, lies);
    }
  }

  async onApplicationShutdown(): Promise<void> {
    await this.threads.close();
  }
}

/** @throws GatewayError as the thread refused it; Error for a fault of ours. */
function given(answer: BodyAnswer): BodyAnswer {
  if (answer.failure) throw fromFailureElsewhere(answer.failure);
  return answer;
}

/** What is large lies in memory that is its own and can be handed over; what is small is copied. */
function ownMemory(bytes: Buffer): Uint8Array {
  return hasOwnMemory(bytes) ? bytes : copied(bytes);
}

function lengthOf(pieces: readonly Uint8Array[]): number {
  return pieces.reduce((sum, { length }) => sum + length, 0);
}

/** Bytes that a thread may have while these are used here. */
function copied(bytes: Uint8Array): Uint8Array {
  return new Uint8Array(bytes);
}

export function notReadable(): GatewayError {
  return new GatewayError(503, 'The request body cannot be read at the moment; try again shortly.', 5);
}
