import { Injectable } from '@nestjs/common';
import { GatewayError, longestChainMs } from '@tollgate/contracts';
import type { CallerKey } from '@tollgate/contracts';
import { asItems, isRecord, isReference, joinedItems, withItems, withoutKeeping } from '@tollgate/dialects/surface';
import type { StateWish } from '@tollgate/dialects/surface';
import { Clock } from '../clock';
import type { SentRequest } from '../generation/sent-request';
import { Settings } from '../settings';
import { itemsIn } from './conversation-item';
import { ConversationStore } from './conversation-store';
import { nothingKept } from './conversations.controller';
import type { OpenConversation } from './open-conversation';
import { isKeptId } from './turn';
import { TurnKeeper } from './turn-keeper';
import { TurnStore } from './turn-store';
import type { KeptTurns } from './turn-store';
import type { Turn } from './turn';

const listStart = Buffer.from('[');
const listEnd = Buffer.from(']');
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
  /** Waits for the memory of so many bytes more than the request itself has. */
  readonly hold: (bytes: number) => Promise<void>;
  /** Calls this when the request is over, however it ended. */
  readonly onOver: (run: () => void) => void;
}

/** What goes on in its place. `isChanged` false: the request as it came. `turn` null: nothing of it is to be kept. */
export interface Composed {
  readonly bytes: Buffer;
  readonly isChanged: boolean;
  readonly turn: TurnToKeep | null;
}

/**
 * What is known of a turn before it is answered. `input`: what was new in it, or all of it where it stands on nothing. `isStored`: the response can be asked for again. `conversation`: what its items
 * are added to; null: nothing.
 */
export interface TurnToKeep {
  readonly key: CallerKey;
  readonly bornAt: number;
  readonly previous: { id: string; bornAt: number } | null;
  readonly input: Buffer;
  readonly isStored: boolean;
  readonly conversation: OpenConversation | null;
}

/** Puts what a request goes on from before its input, so that every model, and everything that looks at requests, sees the whole conversation. */
@Injectable()
export class StatefulRequests {
  constructor(
    private readonly store: TurnStore,
    private readonly conversations: ConversationStore,
    private readonly keeper: TurnKeeper,
    private readonly clock: Clock,
    private readonly settings: Settings,
  ) {}

  /** @throws GatewayError 400 for a response that is not there; 413 for a conversation that is too large; 503 while it cannot be read. */
  async compose(asking: Asking): Promise<Composed> {
    const { state, bytes, sent, key, generates } = asking;
    const keeps = generates && state.keeps && this.keeper.isOn;
    const inputAt = sent.inputAt();
    const came = asItems(inputAt ? bytes.subarray(inputAt.start, inputAt.end) : Buffer.alloc(0));
    const own = state.references.length > 0 ? await this.withReferred(came, asking) : came;
    const before =
      state.previousId === null ? null : await this.before(state.previousId, own.length - came.length, asking);
    const bornAt = this.clock.nowMs();
    // A turn must not stand on days that are dropped before it is.
    const isChained =
      before !== null && before.turns.length < longestChain && bornAt - before.oldestAt < longestChainMs;
    const { conversation, items } = await this.conversation(own.length - came.length, asking);
    const earlier = before?.turns.flatMap((turn) => [turn.input, turn.output]) ?? items;
    const input = earlier ? joinedItems([...earlier, own]) : own;
    const isChanged = earlier !== null || own !== came;
    const composed = isChanged ? withItems(bytes, input, generates) : bytes;
    const silenced = generates && state.keeps && !keeps;
    const previous = isChained && state.previousId !== null ? { id: state.previousId, bornAt: before.bornAt } : null;
    return {
      bytes: silenced ? withoutKeeping(composed) : composed,
      isChanged: isChanged || silenced,
      turn:
        keeps || conversation
          ? { key, bornAt, previous, conversation, isStored: keeps, input: previous || items ? own : input }
          : null,
    };
  }

  /** The conversation that a request names, which is its own until it is over, and the items in it. A request that is only counted does not add to it. `items` null: it names none. */
  private async conversation(
    added: number,
    { state, key, bytes, generates, hold, onOver }: Asking,
  ): Promise<{ conversation: OpenConversation | null; items: Uint8Array[] | null }> {
    const { conversationId: id } = state;
    if (id === null) return { conversation: null, items: null };
    if (!this.keeper.isOn) throw nothingKept();
    const named = { accountId: key.accountId, id };
    const conversation = generates && isKeptId(id) ? await this.conversations.open(named) : null;
    if (conversation) onOver(() => conversation.release());
    const { bodyLimit } = this.settings;
    const onSize = async (size: number) => {
      if (size + added + bytes.length > bodyLimit) throw tooLong(bodyLimit);
      await hold(size);
    };
    const found = isKeptId(id) ? await this.conversations.items({ ...named, order: 'asc', onSize }) : null;
    if (!found || (generates && !conversation)) throw conversationNotFound(id);
    return { conversation, items: found.items.map(({ text }) => Buffer.concat([listStart, text, listEnd])) };
  }

  /** `added`: bytes that the input has more than the request brought. */
  private async before(id: string, added: number, { key, bytes, hold }: Asking): Promise<KeptTurns> {
    const { bodyLimit } = this.settings;
    const onSize = async (size: number) => {
      if (size + added + bytes.length > bodyLimit) throw tooLong(bodyLimit);
      await hold(size);
    };
    const wanted = { accountId: key.accountId, id, alone: false, onSize };
    const found = isKeptId(id) ? await this.store.read(wanted) : null;
    const own = conversationIn(found?.turns.at(-1));
    if (own !== null)
      throw new GatewayError(
        400,
        `Response '${id}' is part of the conversation '${own}': go on by 'conversation', not by 'previous_response_id'.`,
      );
    if (found) return found;
    // In OpenAI's words and status: https://github.com/maximhq/bifrost/issues/2441
    throw new GatewayError(400, `Previous response with id '${id}' not found.`).withDetails({
      reason: 'previous_response_not_found',
      param: 'previous_response_id',
    });
  }

  /** The items in the place of references to them; a reference to what is not kept stays, for its provider to refuse. */
  private async withReferred(input: Buffer, { state, bytes, key, hold }: Asking): Promise<Buffer> {
    const { bodyLimit } = this.settings;
    const textById = new Map<unknown, string>();
    for (const id of await this.store.holding(key.accountId, state.references.filter(isKeptId))) {
      const onSize = (size: number) => {
        if (size > bodyLimit) throw tooLong(bodyLimit);
      };
      const kept = await this.store.read({ accountId: key.accountId, id, alone: true, onSize });
      for (const { output } of kept?.turns ?? [])
        for (const item of itemsIn(output))
          if (state.references.includes(String(item.id))) textById.set(item.id, JSON.stringify(item));
    }
    if (textById.size === 0) return input;
    const texts = itemsIn(input).map((item) => (isReference(item) && textById.get(item.id)) || JSON.stringify(item));
    // Each may stand there many times: what comes of it is measured before it is made.
    const size = texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0);
    if (size + bytes.length > bodyLimit) throw tooLong(bodyLimit);
    await hold(size);
    return Buffer.from(`[${texts.join(',')}]`);
  }
}

/** The id of the conversation that a response was added to; null: to none. What was before it is known to that alone. */
function conversationIn(turn: Turn | undefined): string | null {
  const rest: unknown = turn && JSON.parse(Buffer.from(turn.rest).toString('utf8'));
  const { conversation } = isRecord(rest) ? rest : {};
  return isRecord(conversation) && typeof conversation.id === 'string' ? conversation.id : null;
}

/** In OpenAI's words and status. */
function conversationNotFound(id: string): GatewayError {
  return new GatewayError(404, `Conversation with id '${id}' not found.`).withDetails({
    reason: 'conversation_not_found',
    param: 'conversation',
  });
}

function tooLong(limit: number): GatewayError {
  return new GatewayError(
    413,
    `The conversation before this request is larger, with it, than ${limit} bytes, which is the most that is accepted. Begin a new one, or compact it.`,
  );
}
