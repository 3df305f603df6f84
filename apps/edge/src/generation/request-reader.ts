import { Injectable } from '@nestjs/common';
import { GatewayError } from '@tollgate/contracts';
import type { CallerKey } from '@tollgate/contracts/accounts';
import type { CatalogModel } from '@tollgate/contracts/catalog';
import { generatesNothing } from '@tollgate/contracts/inference';
import type { Attribution } from '@tollgate/contracts/metering';
import { isDear } from '@tollgate/dialects/surface';
import type { StateWish } from '@tollgate/dialects/surface';
import { FairMemory } from '@tollgate/messaging';
import type { IncomingHttpHeaders } from 'node:http';
import { attributionOf } from '../callers/attribution-of';
import { ownerOf } from '../callers/authenticator';
import { ModelCatalog } from '../catalog/model-catalog';
import { modelNotices } from '../catalog/model-notices';
import { ContentLogging } from '../content-log/content-logging';
import { ContentRecord, type Policy } from '../content-log/content-record';
import { redactedJson } from '../content-log/redacted-json';
import type { RedactedJson } from '../content-log/redacted-json';
import type { GuardOrder } from './guarded-body';
import { RequestGuard, type Asked } from './request-guard';
import type { RequestContext } from '../http/request-context';
import { digestOf } from '../response-cache/cache-name';
import { ResponseCaching } from '../response-cache/response-caching';
import type { CachePlace } from '../response-cache/response-caching';
import { inputAsLeft } from '../responses/input-as-left';
import type { NearTurns } from '../responses/socket/near-turns';
import { StatefulRequests } from '../responses/stateful-requests';
import type { TurnToKeep } from '../responses/stateful-requests';
import { Settings } from '../settings';
import { isZstdForThread } from './body-encoding';
import type { CallersWait } from './caller-left';
import { wantsContinuation } from './continuation-wish';
import { isDearToGuard, type BodyRoom, type HeldBody } from './held-body';
import type { RequestMessage } from './inner-exchange';
import { checkKind, checkNeeds } from './model-needs';
import type { Operation } from './operations';
import { placesFor } from './own-keys';
import { BodyThreads } from './body-threads';
import { readBody } from './read-body';
import { checkWindows } from './request-size';
import { readSent } from './sent-request';
import type { SentRequest } from './sent-request';
import { wantsCost } from './told-cost';
import { ZstdThreads } from './zstd-threads';

/** A request that was read and found sane. */
export interface Understood {
  readonly sent: SentRequest;
  readonly model: CatalogModel;
  /** What goes on: the caller's bytes, unless a guardrail took something out of them. */
  readonly body: Buffer;
  readonly providerHeaders: Record<string, string>;
  /** Null: the response cache has no part in it. */
  readonly cache: CachePlace | null;
  /** The caller wants to be told what it pays. */
  readonly tellsCost: boolean;
  /** A stream that breaks is to go on at another place. */
  readonly goesOn: boolean;
  /** Null: nothing of it is logged. */
  readonly record: ContentRecord | null;
  /** Null: the response is not kept. */
  readonly turn: TurnToKeep | null;
  /** For whom it is made; undefined: nothing was said, or nothing is generated. */
  readonly attribution: Attribution | undefined;
}

/** What there is of a request when its body is here. */
interface Received {
  readonly operation: Operation;
  readonly headers: IncomingHttpHeaders;
  readonly key: CallerKey;
  readonly bytes: Buffer;
  /** What is kept of it, where it is made again with its conversation before it; null: it came now. */
  readonly resumed: TurnToKeep | null;
  /** What the connection that it came over remembers; null: it came by itself. */
  readonly near: NearTurns | null;
}

/** With the headers that its surface passes on. `moved`: see HeldBody. */
interface AskedFor extends Received {
  readonly moved: HeldBody['moved'];
  readonly providerHeaders: Record<string, string>;
}

/** What was parsed, and its bytes. */
interface Sent {
  readonly sent: SentRequest;
  readonly bytes: Buffer;
}

/** One that goes on from another, or is gone on from. */
interface Composing {
  readonly received: AskedFor;
  readonly came: Sent;
  readonly held: HeldBody;
  readonly context: RequestContext;
  readonly state: StateWish;
  readonly generates: boolean;
}

/**
 * A request that was parsed. `turn` null: its response is not kept. `window`: see StateWish.completionWindow,
 * of one in the background. `isComposed`: its bytes are not those that came, and nothing that is kept looks
 * at them.
 */
interface Parsed extends Sent {
  readonly window?: string | null;
  readonly isComposed?: boolean;
  readonly turn: TurnToKeep | null;
}

/**
 * A body that is looked through before it goes on. `policy` null: it is not logged. `isNamed`: the response
 * cache asks for its digest.
 */
interface Looking {
  readonly parsed: Parsed;
  readonly asked: Asked;
  readonly received: Received & Pick<AskedFor, 'moved'>;
  readonly policy: Policy | null;
  readonly isNamed: boolean;
}

/** What goes on of it, and of the turn that is kept. */
interface Looked {
  readonly bytes: Buffer;
  readonly turn: TurnToKeep | null;
  readonly redacted: () => RedactedJson | null;
  readonly digest: () => string;
}

/** Reads requests, and finds out what they ask for and whether they may. */
@Injectable()
export class RequestReader {
  /** Of all bodies, and of what comes in other ways. */
  readonly memory: FairMemory;

  constructor(
    private readonly threads: BodyThreads,
    private readonly zstd: ZstdThreads,
    private readonly catalog: ModelCatalog,
    private readonly caching: ResponseCaching,
    private readonly guard: RequestGuard,
    private readonly contentLog: ContentLogging,
    private readonly stateful: StatefulRequests,
    private readonly settings: Settings,
  ) {
    this.memory = new FairMemory(settings.bodyMemory);
  }

  /** The body of a request of this key, as it was before compression. @throws as `readBody`. */
  receive(message: RequestMessage, key: CallerKey): Promise<HeldBody> {
    const room = { limit: this.settings.bodyLimit, memory: this.memory, owner: ownerOf(key) };
    const reading = readBody(message, room);
    return isZstdForThread(message.headers['content-encoding']) ? this.decompressed(reading, room) : reading;
  }

  private async decompressed(reading: Promise<HeldBody>, room: BodyRoom): Promise<HeldBody> {
    const held = await reading;
    try {
      await this.zstd.decompress(held, room);
      return held;
    } catch (error) {
      held.release();
      throw error;
    }
  }

  /**
   * @throws GatewayError for a request that cannot be served: 400, 403, 404, 413, 503 while nothing is known
   * of models, or of what it goes on from.
   */
  async understand(received: Received, held: HeldBody, context: RequestContext): Promise<Understood> {
    const { operation, headers, key, bytes, resumed, near } = received;
    const { surface, kind } = operation;
    const providerHeaders = surface.providerHeaders(headers);
    const tellsCost = wantsCost(headers, key);
    const { moved } = held;
    const askedFor: AskedFor = { operation, headers, key, bytes, resumed, near, moved, providerHeaders };
    const reading = this.read(askedFor, held, context);
    const parsed = reading instanceof Promise ? await reading : reading;
    const { sent } = parsed;
    const { read } = sent;
    context.model = read.model;
    const resolved = this.catalog.resolve(read.model, key);
    const { model } = resolved;
    this.catalog.checkBeside(read.asksBeside ?? [], model, key);
    context.tell(modelNotices(resolved, context.startedAt));
    warnOfWindow(parsed, context);
    context.simulated = this.catalog.isSimulated(model);
    // Every kind of model has a tokenizer.
    if (kind !== 'tokenize' && kind !== 'detokenize') checkKind(model, surface);
    checkNeeds(model, read.needs);
    const goesOn = wantsContinuation(headers, model, surface, kind === 'generate' && read.stream);
    // The window of a model that embeds bounds each of its texts, not all of them.
    if (model.kind === 'generation') checkWindows(sent, placesFor(key, model, this.catalog));
    const asked = { requestId: context.requestId, keyId: key.id, model: model.id };
    const mayBeKept = !generatesNothing(kind);
    const policy = mayBeKept ? this.contentLog.policyFor(headers, key) : null;
    const isCacheable = mayBeKept && kind !== 'compact' && !parsed.turn?.isBackground;
    const wish = isCacheable ? this.caching.wishOf(headers, key) : null;
    const looking = { parsed, asked, received: askedFor, policy, isNamed: wish !== null };
    const found = this.look(looking);
    const looked = found instanceof Promise ? await found : found;
    const { bytes: body } = looked;
    // What was sent on in this turn of the event loop is still to leave.
    if (parsed.isComposed) held.onRelease(() => setImmediate(() => held.free(body)));
    const isHidden = (name: string) => this.guard.hides(asked, name);
    const attribution = mayBeKept
      ? attributionOf(headers, read.endUser, context.program, isHidden, key.tags)
      : undefined;
    // It may still be written to where it is kept when the request is over.
    if (looked.turn) held.leave();
    if (!mayBeKept) {
      const none = { cache: null, record: null, tellsCost: false, turn: null, attribution };
      return { sent, model, body, providerHeaders, goesOn, ...none };
    }
    const question = {
      key,
      surface,
      model: model.id,
      headers: providerHeaders,
      rules: () => this.guard.answerRules(asked),
      tellsThoughts: context.tellsThoughts,
      bodyDigest: looked.digest,
      keepsState: () => sent.keepsState(),
      stream: read.stream,
    };
    const cache = wish && this.caching.placeOf(wish, question, context);
    const record = policy && new ContentRecord(policy, looked.redacted);
    return { sent, model, body, providerHeaders, cache, record, tellsCost, goesOn, turn: looked.turn, attribution };
  }

  /** Looks through a body: on the event loop where that takes little. */
  private look(looking: Looking): Looked | Promise<Looked> {
    const { parsed, asked } = looking;
    const { sent } = parsed;
    const guard = this.guard.orderFor(asked);
    if (sent.parsed === null) return this.lookElsewhere(looking, guard);
    if (!guard || !isDearToGuard(parsed.bytes)) return this.lookHere(looking);
    const bytes = sent.isRewritten ? Buffer.from(JSON.stringify(sent.parsed)) : parsed.bytes;
    return this.lookElsewhere({ ...looking, parsed: { ...parsed, bytes } }, guard);
  }

  private lookHere({ parsed: { sent, bytes, turn }, asked, policy }: Looking): Looked {
    const left = this.guard.check(asked, sent.parsed, bytes);
    const isChanged = left !== sent.parsed;
    const own = isChanged || sent.isRewritten ? Buffer.from(JSON.stringify(left)) : bytes;
    return {
      bytes: own,
      turn: turn && isChanged ? { ...turn, input: inputAsLeft(turn.input, left) } : turn,
      redacted: () => policy && redactedJson(left, policy.redactor, policy.rules.maxBodyBytes),
      digest: () => digestOf(own),
    };
  }

  /**
   * Has a body looked through on a thread, where there is anything to look for. Its bytes are others
   * afterwards.
   */
  private async lookElsewhere(looking: Looking, guard: GuardOrder | null): Promise<Looked> {
    const { parsed, asked, received, policy, isNamed } = looking;
    const { bytes, turn } = parsed;
    if (!guard && !policy && !isNamed) return { bytes, turn, redacted: () => null, digest: () => digestOf(bytes) };
    const wish = { guard, log: policy && policy.rules, isNamed, turnInput: turn && turn.input };
    const looked = await this.threads.look({ ...received, bytes }, wish, (found) => this.guard.found(asked, found));
    const { turnInput: input } = looked;
    return {
      bytes: looked.bytes,
      turn: turn && input ? { ...turn, input: Buffer.from(input.buffer, input.byteOffset, input.length) } : turn,
      redacted: () => looked.redacted,
      digest: () => looked.digest ?? digestOf(looked.bytes),
    };
  }

  /**
   * A request with the conversation that it goes on from. Whoever names none, and is not kept, waits for
   * nothing here.
   */
  private read(received: AskedFor, held: HeldBody, context: RequestContext): Parsed | Promise<Parsed> {
    const came = this.parse(received);
    if (came instanceof Promise) return came.then((parsed) => this.goneOn(received, parsed, held, context));
    return this.goneOn(received, came, held, context);
  }

  private goneOn(received: AskedFor, came: Sent, held: HeldBody, context: RequestContext): Parsed | Promise<Parsed> {
    const { operation, resumed, near } = received;
    const { sent, bytes: asCame } = came;
    if (resumed) return { sent, bytes: asCame, turn: resumed };
    const { state } = sent.read;
    const generates = operation.kind === 'generate';
    if (state?.warmsUp && !near) throw nothingToWarmUp();
    const named = state?.previousId ?? state?.conversationId ?? state?.references[0] ?? null;
    const isKept = generates && (state?.keeps || state?.background || near !== null);
    if (!state || (named === null && !isKept)) return { sent, bytes: asCame, turn: null };
    return this.composed({ received, came, held, context, state, generates });
  }

  /** With the conversation that it names before it, or as what the next one goes on from. */
  private async composed({ received, came, held, context, state, generates }: Composing): Promise<Parsed> {
    const { key, near } = received;
    const { sent, bytes: asCame } = came;
    const waits: CallersWait = (wait) => context.waitingFor(() => held.whileThere(wait));
    const hold = (bytes: number) => context.waitingFor(() => held.more(bytes));
    const onOver = (run: () => void) => held.onRelease(run);
    const free = (bytes: Uint8Array) => held.free(bytes);
    const asking = { sent, bytes: asCame, state, key, near, generates, waits, hold, free, onOver };
    const { bytes, isChanged, turn } = await this.stateful.compose(asking);
    const window = state.background ? state.completionWindow : null;
    if (!isChanged) return { sent, bytes: asCame, turn, window };
    const composed = await this.parse({ ...received, bytes });
    return { sent: composed.sent, bytes: composed.bytes, turn, window, isComposed: true };
  }

  /** The bytes of a dear body are others afterwards: they went to a thread and came back. */
  private parse(received: AskedFor): Sent | Promise<Sent> {
    const { operation, key, bytes, providerHeaders } = received;
    if (isDear(bytes)) return this.threads.read(received);
    return { sent: readSent(operation, bytes, { quotaTokens: key.quotaTokens, providerHeaders }), bytes };
  }
}

/**
 * The gateway makes responses in the background itself, and providers charge those as any other.
 * https://developers.openai.com/api/docs/guides/background
 */
function warnOfWindow({ window }: Parsed, context: RequestContext): void {
  if (window === undefined || window === null || window === 'soonest') return;
  context.warn(`completion_window ${window} brings no discount here: the response is made at once, at the usual price`);
}

/** https://developers.openai.com/api/docs/guides/websocket-mode */
function nothingToWarmUp(): GatewayError {
  return new GatewayError(
    400,
    "'generate' cannot be false here: it prepares the next turn of a WebSocket.",
  ).withDetails({
    param: 'generate',
  });
}
