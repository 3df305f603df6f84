import { Injectable } from '@nestjs/common';
import { GatewayError } from '@tollgate/contracts';
import type { CallerKey } from '@tollgate/contracts/accounts';
import { longestChainMs } from '@tollgate/contracts/metering';
import {
  asItems,
  composedPieces,
  eachPlace,
  isRecord,
  insideOf,
  joinedPieces,
  piecesWith,
} from '@tollgate/dialects/surface';
import type { StateWish } from '@tollgate/dialects/surface';
import { ownerOf } from '../callers/authenticator';
import { Clock } from '../clock';
import { BodyThreads } from '../generation/body-threads';
import type { CallersWait } from '../generation/caller-left';
import { joinedInTurns } from '../generation/in-turns';
import type { SentRequest } from '../generation/sent-request';
import { Settings } from '../settings';
import { ConversationStore } from './conversation-store';
import { nothingKept } from './conversations.controller';
import type { NearTurns } from './socket/near-turns';
import type { OpenConversation } from './open-conversation';
import { ReadingMemory } from './reading-memory';
import { isKeptId, isWaiting } from './turn';
import { TurnKeeper } from './turn-keeper';
import { TurnStore } from './turn-store';
import type { KeptTurns } from './turn-store';
import type { Turn } from './turn';

/** A conversation of more turns than that is kept whole, so that it is read by a short walk. */
const longestChain = 200;

/** A request that says something of kept responses. */
interface Asking {
  readonly state: StateWish;
  readonly sent: SentRequest;
  readonly bytes: Buffer;
  readonly key: CallerKey;
  /** False: it is only counted, or compacted. */
  readonly generates: boolean;
  /** What its connection remembers; null: it came by itself. */
  readonly near: NearTurns | null;
  readonly waits: CallersWait;
  /** Waits for the memory of so many bytes more than the request itself has. */
  readonly hold: (bytes: number) => Promise<void>;
  /** Hears of bytes that nobody looks at any more: see HeldBody. */
  readonly free: (bytes: Uint8Array) => void;
  /** Calls this when the request is over, however it ended. */
  readonly onOver: (run: () => void) => void;
}

/**
 * What goes on in its place. `isChanged` false: the request as it came. `turn` null: nothing of it is to be
 * kept.
 */
export interface Composed {
  readonly bytes: Buffer;
  readonly isChanged: boolean;
  readonly turn: TurnToKeep | null;
}

/**
 * What is known of a turn before it is answered. `input`: what was new in it, or all of it where it stands on
 * nothing. `isStored`: the response can be asked for again. `conversation`: what its items are added to;
 * null: nothing. `isBackground`: nobody waits for it. `near`: what is to remember it, with all that it stands
 * on; null: nothing.
 */
export interface TurnToKeep {
  readonly key: Pick<CallerKey, 'id' | 'accountId'>;
  readonly bornAt: number;
  readonly previous: { id: string; bornAt: number } | null;
  readonly input: Buffer;
  readonly isStored: boolean;
  readonly isBackground: boolean;
  readonly conversation: OpenConversation | null;
  readonly near: NearTurns | null;
}

/**
 * Puts what a request goes on from before its input, so that every model, and everything that looks at
 * requests, sees the whole conversation.
 */
@Injectable()
export class StatefulRequests {
  constructor(
    private readonly store: TurnStore,
    private readonly conversations: ConversationStore,
    private readonly keeper: TurnKeeper,
    private readonly threads: BodyThreads,
    private readonly reading: ReadingMemory,
    private readonly clock: Clock,
    private readonly settings: Settings,
  ) {}

  /**
   * @throws GatewayError 400 for a response that is not there; 413 for a conversation that is too large; 503
   * while it cannot be read.
   */
  async compose(asking: Asking): Promise<Composed> {
    const { state, bytes, sent, key, generates, free } = asking;
    if (state.background && !generates)
      throw new GatewayError(400, "'background' cannot be true here: only a response is made in the background.");
    if (state.background && !this.keeper.isOn) throw nothingInBackground();
    // Without `store` it is kept all the same, until it was fetched:
    // https://developers.openai.com/api/docs/guides/background
    const keeps = generates && (state.keeps || state.background) && this.keeper.isOn && !state.warmsUp;
    const inputAt = sent.inputAt();
    const came = asItems(inputAt ? bytes.subarray(inputAt.start, inputAt.end) : Buffer.alloc(0));
    const own = state.references.length > 0 ? await this.withReferred(came, asking) : came;
    const near = await this.remembered(own.length - came.length, asking);
    const before =
      state.previousId === null || near ? null : await this.before(state.previousId, own.length - came.length, asking);
    const bornAt = this.clock.nowMs();
    // A turn must not stand on days that are dropped before it is.
    const isChained =
      before !== null && before.turns.length < longestChain && bornAt - before.oldestAt < longestChainMs;
    const { conversation, items: added } = await this.conversation(own.length - came.length, asking);
    const earlier = near
      ? [insideOf(near)]
      : (before?.turns.flatMap((turn) => [turn.input, turn.output].map(insideOf)) ?? added);
    const input = earlier ? joinedPieces([...earlier, insideOf(own)]) : [own];
    const items = earlier !== null || own !== came ? input : null;
    const waits = state.background;
    const isKept = !(generates && state.keeps && !keeps);
    const isChanged = items !== null || waits || !isKept;
    const composed = { items, isNamed: generates, waits, isKept };
    const remembers = generates && !keeps && !conversation ? asking.near : null;
    const previous =
      isChained && state.previousId !== null && !remembers ? { id: state.previousId, bornAt: before.bornAt } : null;
    const turn =
      keeps || conversation || remembers
        ? {
            ...{ key, bornAt, previous, conversation, isStored: keeps, isBackground: state.background },
            input: previous || added || !earlier ? own : await joinedInTurns(input),
            near: remembers,
          }
        : null;
    const whole = isChanged ? await joinedInTurns(composedPieces(bytes, composed)) : bytes;
    // What was before is in the request now, and lay in memory of its own.
    for (const kept of before?.turns ?? []) free(kept.input);
    return { bytes: whole, isChanged, turn };
  }

  /**
   * The conversation up to the response that a request names, as its connection remembers it; null: it does
   * not. `added`: see `before`.
   */
  private async remembered(added: number, asking: Asking): Promise<Buffer | null> {
    const { state, near, bytes } = asking;
    const found = (state.previousId !== null && near?.find(state.previousId)) || null;
    if (!found) return null;
    const { bodyLimit } = this.settings;
    if (found.length + added + bytes.length > bodyLimit) throw tooLong(bodyLimit);
    await this.held(asking, found.length);
    return found;
  }

  /**
   * The conversation that a request names, which is its own until it is over, and the items in it. A request
   * that is only counted does not add to it. `items` null: it names none.
   */
  private async conversation(
    added: number,
    asking: Asking,
  ): Promise<{ conversation: OpenConversation | null; items: Uint8Array[] | null }> {
    const { state, key, bytes, generates, onOver } = asking;
    const { conversationId: id } = state;
    if (id === null) return { conversation: null, items: null };
    if (!this.keeper.isOn) throw nothingKept();
    const named = { accountId: key.accountId, id };
    const conversation = generates && isKeptId(id) ? await this.conversations.open(named) : null;
    if (conversation) onOver(() => conversation.release());
    const { bodyLimit } = this.settings;
    const onSize = async (size: number) => {
      if (size + added + bytes.length > bodyLimit) throw tooLong(bodyLimit);
      await this.held(asking, size);
    };
    const found = isKeptId(id) ? await this.conversations.items({ ...named, order: 'asc', onSize }) : null;
    if (!found || (generates && !conversation)) throw conversationNotFound(id);
    return { conversation, items: found.items.map(({ text }) => text) };
  }

  /** `added`: bytes that the input has more than the request brought. */
  private async before(id: string, added: number, asking: Asking): Promise<KeptTurns> {
    const { key, bytes } = asking;
    const { bodyLimit } = this.settings;
    const onSize = async (size: number) => {
      if (size + added + bytes.length > bodyLimit) throw tooLong(bodyLimit);
      await this.held(asking, size);
    };
    const wanted = { accountId: key.accountId, id, alone: false, onSize };
    const found = isKeptId(id) ? await this.store.read(wanted) : null;
    const own = found && (await this.conversationIn(key, found.turns.at(-1)));
    if (own !== null)
      throw new GatewayError(
        400,
        `Response '${id}' is part of the conversation '${own}': go on by 'conversation', not by 'previous_response_id'.`,
      );
    const last = found?.turns.at(-1);
    if (last && isWaiting(last))
      throw new GatewayError(400, `Response '${id}' is still being made: go on from it when it is completed.`);
    if (found) return found;
    // In OpenAI's words and status: https://github.com/maximhq/bifrost/issues/2441
    throw new GatewayError(400, `Previous response with id '${id}' not found.`).because('previous_response_not_found', {
      param: 'previous_response_id',
    });
  }

  /** Waits for the turn of so many bytes that a request goes on from, and for their memory. */
  private async held({ key, waits, hold }: Asking, bytes: number): Promise<void> {
    await waits((left) => this.reading.turn(ownerOf(key), bytes, left));
    await hold(bytes);
  }

  /**
   * The items in the place of references to them; a reference to what is not kept stays, for its provider to
   * refuse.
   */
  private async withReferred(input: Buffer, asking: Asking): Promise<Buffer> {
    const { sent, bytes, hold } = asking;
    const { bodyLimit } = this.settings;
    const { kept, heldBytes } = await this.referred(asking);
    if (kept.every((item) => item === null)) return input;
    // Each may stand there many times: what comes of it is measured before it is made.
    const pieces = piecesWith(input, sent.referencePlaces(), kept);
    const size = pieces.reduce((sum, piece) => sum + piece.length, 0);
    if (size + bytes.length > bodyLimit) throw tooLong(bodyLimit);
    await hold(Math.max(0, size - heldBytes));
    return joinedInTurns(pieces);
  }

  /**
   * The items that a request refers to, in the order of its references, as JSON text; null: not kept.
   * `heldBytes`: the memory that is held for them.
   */
  private async referred({
    state,
    bytes,
    key,
    waits,
    hold,
  }: Asking): Promise<{ kept: (Uint8Array | null)[]; heldBytes: number }> {
    const { bodyLimit } = this.settings;
    const kept: (Uint8Array | null)[] = state.references.map(() => null);
    let heldBytes = 0;
    for (const id of await this.store.holding(key.accountId, state.references.filter(isKeptId)))
      for (const [which, item] of await this.itemsOf(id, { state, key, waits })) {
        heldBytes += item.length;
        if (heldBytes + bytes.length > bodyLimit) throw tooLong(bodyLimit);
        await hold(item.length);
        kept[which] = item;
      }
    return { kept, heldBytes };
  }

  /** The items in the output of a kept response that are referred to. */
  private itemsOf(
    id: string,
    { state, key, waits }: Pick<Asking, 'state' | 'key' | 'waits'>,
  ): Promise<[which: number, Uint8Array][]> {
    const { bodyLimit } = this.settings;
    return this.reading.reading({ owner: ownerOf(key), waits }, async (admit) => {
      const onSize = (size: number) => {
        if (size > bodyLimit) throw tooLong(bodyLimit);
        return admit(size);
      };
      const found = await this.store.read({ accountId: key.accountId, id, alone: true, onSize });
      const items: [number, Uint8Array][] = [];
      for (const { output } of found?.turns ?? []) {
        const places = await this.threads.find(key, output, { items: state.references });
        // A copy: the whole output would be kept with it.
        for (const [start, end, which] of eachPlace(places))
          items.push([which, await joinedInTurns([output.subarray(start, end)])]);
        this.reading.free(output);
      }
      return items;
    });
  }

  /**
   * The id of the conversation that a response was added to; null: to none. What was before it is known to
   * that alone.
   */
  private async conversationIn(
    key: Pick<CallerKey, 'id' | 'accountId'>,
    turn: Turn | undefined,
  ): Promise<string | null> {
    if (!turn) return null;
    const rest = Buffer.from(turn.rest.buffer, turn.rest.byteOffset, turn.rest.length);
    if (!rest.includes('"conversation"')) return null;
    const [place] = eachPlace(await this.threads.find(key, rest, { member: 'conversation' }));
    const conversation: unknown = place && JSON.parse(rest.toString('utf8', place[0], place[1]));
    return isRecord(conversation) && typeof conversation.id === 'string' ? conversation.id : null;
  }
}

/** In OpenAI's words and status. */
function conversationNotFound(id: string): GatewayError {
  return new GatewayError(404, `Conversation with id '${id}' not found.`).because('conversation_not_found', {
    param: 'conversation',
  });
}

function nothingInBackground(): GatewayError {
  return new GatewayError(
    400,
    "This gateway keeps no responses, so 'background' cannot be true: wait for the answer, or stream it.",
  ).withDetails({ param: 'background' });
}

function tooLong(limit: number): GatewayError {
  return new GatewayError(
    413,
    `The conversation before this request is larger, with it, than ${limit} bytes, which is the most that is accepted. Begin a new one, or compact it.`,
  );
}
