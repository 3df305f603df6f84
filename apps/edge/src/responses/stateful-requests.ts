import { Injectable } from '@nestjs/common';
import { GatewayError, longestChainMs } from '@tollgate/contracts';
import type { CallerKey } from '@tollgate/contracts';
import { asItems, isReference, joinedItems, withItems, withoutKeeping } from '@tollgate/dialects/surface';
import type { StateWish } from '@tollgate/dialects/surface';
import { Clock } from '../clock';
import type { SentRequest } from '../generation/sent-request';
import { Settings } from '../settings';
import { isKeptId } from './turn';
import { TurnKeeper } from './turn-keeper';
import { TurnStore } from './turn-store';
import type { KeptTurns } from './turn-store';

type Item = Record<string, unknown>;

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
}

/** What goes on in its place. `isChanged` false: the request as it came. `turn` null: nothing of it is to be kept. */
export interface Composed {
  readonly bytes: Buffer;
  readonly isChanged: boolean;
  readonly turn: TurnToKeep | null;
}

/** What is known of a turn before it is answered. `input`: what was new in it, or all of it where it stands on nothing. */
export interface TurnToKeep {
  readonly key: CallerKey;
  readonly bornAt: number;
  readonly previous: { id: string; bornAt: number } | null;
  readonly input: Buffer;
}

/** Puts what a request goes on from before its input, so that every model, and everything that looks at requests, sees the whole conversation. */
@Injectable()
export class StatefulRequests {
  constructor(
    private readonly store: TurnStore,
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
    const input = before ? joinedItems([...before.turns.flatMap((turn) => [turn.input, turn.output]), own]) : own;
    const isChanged = before !== null || own !== came;
    const composed = isChanged ? withItems(bytes, input, generates) : bytes;
    const silenced = generates && state.keeps && !keeps;
    const previous = isChained && state.previousId !== null ? { id: state.previousId, bornAt: before.bornAt } : null;
    return {
      bytes: silenced ? withoutKeeping(composed) : composed,
      isChanged: isChanged || silenced,
      turn: keeps ? { key, bornAt, previous, input: previous ? own : input } : null,
    };
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

function itemsIn(list: Uint8Array): Item[] {
  return JSON.parse(Buffer.from(list).toString('utf8')) as Item[];
}

function tooLong(limit: number): GatewayError {
  return new GatewayError(
    413,
    `The conversation before this request is larger, with it, than ${limit} bytes, which is the most that is accepted. Begin a new one, or compact it.`,
  );
}
