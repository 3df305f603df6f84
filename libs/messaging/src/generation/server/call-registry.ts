import { cancelReasons } from '@tollgate/contracts/inference';
import type { CancelReason, GenerationFailure, GenerationRequest } from '@tollgate/contracts/inference';
import { decodeTotal, frameTypes, neverBegan, type Frame } from '../frame';
import { toPayload } from '../frame-json';
import { encodeSettlement, type Settlement } from '../settlement';
import type { Owner } from '../../memory/turns-by-owner';
import type { PlaceKeeper } from '../generation-stream';
import { hopFailures } from '../hop-failures';
import type { RequestEnvelope } from '../request-envelope';
import { Arrivals, type Arrival, RequestAssembly } from './arrivals';
import { Credit } from './credit';
import { EdgePeer } from './edge-peer';
import type { Closing } from './edge-peer';
import { ServerCall } from './server-call';
import type { ServerCallHost } from './server-call';

/** How long an edge that asks nothing is remembered, with what is known of its clock. */
const peerLifeMs = 15 * 60_000;

/** How much of a request's content an instance has that began it: more than any holds. */
const everything = 0xffff_ffff;

const nothingUsed: Settlement = { accounted: true, usedTokens: 0 };

/** The calls of one instance, by edge and stream, and the requests that are still arriving. */
export class CallRegistry {
  private readonly peers = new Map<string, EdgePeer>();
  private readonly arrivals = new Arrivals();
  private running = 0;
  private twice = 0;
  private whenEmpty: (() => void)[] = [];

  constructor(
    private readonly host: ServerCallHost,
    private readonly begin: (call: ServerCall) => void,
    /** Whose places are taken by account and key. */
    private readonly places: () => PlaceKeeper,
  ) {}

  get size(): number {
    return this.running + this.arrivals.size;
  }

  /** How many requests a provider was asked for here that another instance has, too. */
  get askedTwice(): number {
    return this.twice;
  }

  /** The edge of this id; it was heard of just now. */
  peer(id: string): EdgePeer {
    const { ticker, settings } = this.host;
    const { now } = ticker;
    let peer = this.peers.get(id);
    if (!peer) this.peers.set(id, (peer = new EdgePeer(id, now, settings)));
    peer.heardAt = now;
    return peer;
  }

  /**
   * Whether there is room for what a request holds while it arrives in parts. `owner` null: an older edge
   * does not say whose it is.
   */
  hasRoomFor(owner: Owner | null, contentBytes: number): boolean {
    return this.arrivals.hasRoomFor(owner, contentBytes, this.host.settings.bodyBudgetBytes);
  }

  /**
   * Takes a request on. `request`: what its envelope tells of it; null: not enough. `sentAtMs`: when its edge
   * sent it, by this process's steady clock; null: nothing begins until the edge has sent the whole content
   * (again), which it does only to the one instance that has the stream. `receivedAt`: when it came, epoch
   * milliseconds.
   * Not null: there is no place for its owner.
   */
  accept(
    peer: EdgePeer,
    envelope: RequestEnvelope,
    request: GenerationRequest | null,
    sentAtMs: number | null,
    receivedAt: number,
  ): GenerationFailure | null {
    const refusal = request && this.places().enter(request);
    if (refusal) return refusal;
    const assembly = new RequestAssembly(envelope, sentAtMs !== null, receivedAt, request);
    const received = assembly.receivedBytes;
    this.host.post.send(peer.subject, frameTypes.accept, envelope.stream, received);
    const arrival = { peer, envelope, assembly, owner: request, heardAt: this.host.ticker.now, told: received };
    if (assembly.isComplete) this.start(arrival, sentAtMs);
    else this.arrivals.add(arrival);
    return null;
  }

  hear(peer: EdgePeer, frame: Frame): void {
    const call = peer.calls.get(frame.stream);
    if (frame.type === frameTypes.credit) call?.grant(frame.number, decodeTotal(frame.payload));
    else if (frame.type === frameTypes.body) this.addPart(peer, frame);
    else if (frame.type === frameTypes.cancel) {
      const isElsewhere = frame.number === 1;
      this.host.held.answered(peer.id, frame.stream, isElsewhere);
      if (call) call.abort(toCancelReason(frame.payload), isElsewhere);
      else this.cancelWithoutCall(peer, frame.stream, isElsewhere);
    } else if (frame.type === frameTypes.resume) this.resume(peer, frame);
  }

  remove(call: ServerCall, settlement: Settlement): void {
    const { edge, stream } = call.address;
    const peer = this.peers.get(edge);
    if (!peer?.calls.delete(stream)) return;
    const at = this.host.ticker.now;
    const closing = { settlement, began: true, at, asked: call.wasAsked ? call.request.requestId : null };
    peer.closings.set(stream, closing);
    if (call.isElsewhere) this.hasAnother(closing);
    call.sent.end();
    peer.replays.set(stream, { sent: call.sent, at });
    this.running--;
    this.places().leave(call.request);
    this.tellIfEmpty();
  }

  abortAll(reason: CancelReason): void {
    this.dropArrivals();
    for (const peer of this.peers.values()) for (const call of [...peer.calls.values()]) call.abort(reason);
  }

  /** The connection is lost for too long: stops everything. */
  loseAll(): void {
    this.dropArrivals();
    for (const peer of this.peers.values()) for (const call of [...peer.calls.values()]) call.lose();
  }

  /** Gives up requests whose content is not all here: parts of it were lost. */
  dropArrivals(): void {
    for (const arrival of this.arrivals.list()) this.drop(arrival);
  }

  /** Tells every edge how far its calls are, and which ended lately: frames were lost with the connection. */
  announceAll(): void {
    for (const peer of this.peers.values()) {
      for (const call of peer.calls.values()) call.announce();
      for (const [stream, closing] of peer.closings) {
        const replay = peer.replays.get(stream);
        if (replay) this.host.post.send(peer.subject, frameTypes.ping, stream, replay.sent.next);
        else this.tellClosed(peer, stream, closing);
      }
    }
  }

  /** Resolves when nothing runs or arrives. */
  async empty(): Promise<void> {
    if (this.size > 0) await new Promise<void>((resolve) => this.whenEmpty.push(resolve));
  }

  tick(): void {
    const { ticker, settings } = this.host;
    const { now } = ticker;
    const silence = ticker.ticks(settings.silenceMs);
    for (const arrival of this.arrivals.list()) if (now - arrival.heardAt > silence) this.drop(arrival);
    for (const peer of this.peers.values()) {
      const isLost = now - peer.heardAt > silence;
      for (const call of [...peer.calls.values()]) {
        if (isLost) call.abort('edge_lost');
        else call.tick(now);
      }
      peer.forgetReplaysBefore(now - ticker.ticks(settings.replayMs));
      peer.forgetClosingsBefore(now - silence - ticker.ticks(settings.settleMs));
      if (now - peer.heardAt > ticker.ticks(peerLifeMs) && peer.calls.size === 0) this.forgetPeer(peer);
    }
  }

  private forgetPeer({ id, subject }: EdgePeer): void {
    this.peers.delete(id);
    this.host.post.sealTo(subject, null);
  }

  private start({ peer, envelope, assembly, owner }: Arrival, sentAtMs: number | null): void {
    const address = { edge: peer.id, subject: peer.subject, stream: envelope.stream };
    let call: ServerCall;
    try {
      const { request, body } = assembly.result();
      call = new ServerCall(this.host, address, new Credit(envelope.window), request, body, sentAtMs);
      // Only now is it known whose it is.
      const refusal = owner === null ? this.places().enter(request) : null;
      if (refusal) return this.failUnbegun(peer, envelope.stream, refusal);
    } catch (error) {
      this.host.logger.error({ err: error }, 'a request could not be read');
      if (owner) this.places().leave(owner);
      return this.failUnbegun(peer, envelope.stream, hopFailures.internal);
    }
    peer.calls.set(envelope.stream, call);
    this.running++;
    this.begin(call);
  }

  private failUnbegun(peer: EdgePeer, stream: number, failure: GenerationFailure): void {
    this.host.post.send(peer.subject, frameTypes.fail, stream, 0, encodeSettlement(nothingUsed, toPayload(failure)));
  }

  /**
   * True when this request was taken before: its edge did not hear so, perhaps, and asks again. Of one that
   * was given up nothing is here, and edge asks for it anew.
   */
  repeatAccept(peer: EdgePeer, stream: number): boolean {
    const arrival = this.arrivals.get(peer, stream);
    const closing = peer.closings.get(stream);
    if (!arrival && !peer.calls.has(stream) && !closing) return false;
    if (arrival) arrival.heardAt = this.host.ticker.now;
    const isGivenUp = closing?.began === false;
    const received = arrival ? arrival.assembly.receivedBytes : isGivenUp ? 0 : everything;
    this.host.post.send(peer.subject, frameTypes.accept, stream, received);
    if (isGivenUp) this.tellClosed(peer, stream, closing);
    return true;
  }

  /**
   * An edge misses frames of a stream, if this instance has it. One that heard nothing at all is told first
   * who has it.
   */
  private resume(peer: EdgePeer, { stream, number, payload }: Frame): void {
    if (number === 0) this.repeatAccept(peer, stream);
    const call = peer.calls.get(stream);
    if (call) {
      call.resume(number, decodeTotal(payload));
      return;
    }
    // One that heard nothing yet may ask everybody, and take another.
    if (number > 0) this.host.held.answered(peer.id, stream, false);
    const closing = peer.closings.get(stream);
    const missing = peer.replays.get(stream)?.sent.from(number);
    if (missing) this.host.post.repeat(peer.subject, missing);
    else if (closing) this.tellClosed(peer, stream, closing);
  }

  private addPart(peer: EdgePeer, frame: Frame): void {
    const arrival = this.arrivals.get(peer, frame.stream);
    if (!arrival) return;
    try {
      arrival.assembly.add(frame.number, frame.payload);
    } catch (error) {
      this.host.logger.error({ err: error }, 'a request did not arrive whole');
      this.drop(arrival);
      return;
    }
    arrival.heardAt = this.host.ticker.now;
    const received = arrival.assembly.receivedBytes;
    const { isComplete } = arrival.assembly;
    if (isComplete || received - arrival.told >= this.host.settings.bodyWindowBytes / 4) {
      arrival.told = received;
      this.host.post.send(peer.subject, frameTypes.more, frame.stream, received);
    }
    if (isComplete) {
      this.arrivals.remove(arrival);
      this.start(arrival, null);
      this.tellIfEmpty();
    }
  }

  private cancelWithoutCall(peer: EdgePeer, stream: number, isElsewhere: boolean): void {
    const arrival = this.arrivals.get(peer, stream);
    const closing = peer.closings.get(stream);
    if (arrival) this.drop(arrival);
    else if (closing) {
      if (isElsewhere) this.hasAnother(closing);
      this.tellClosed(peer, stream, closing);
    }
  }

  /**
   * Another instance has this request, too: its caller pays once, and the provider may bill both. Of one that
   * was cut, nobody may know what it used.
   */
  private hasAnother(closing: Closing): void {
    const { asked: requestId, settlement } = closing;
    if (requestId === null) return;
    closing.asked = null;
    this.twice++;
    const told = { requestId, usedTokens: settlement.usedTokens };
    this.host.logger.warn(told, 'a provider was asked for what another instance answers, and may bill both');
  }

  /** Gives up a request that never began, so there is no usage to tell. */
  private drop(arrival: Arrival): void {
    const { peer, envelope, owner } = arrival;
    this.arrivals.remove(arrival);
    if (owner) this.places().leave(owner);
    const closing = { settlement: nothingUsed, began: false, at: this.host.ticker.now, asked: null };
    peer.closings.set(envelope.stream, closing);
    this.tellClosed(peer, envelope.stream, closing);
    this.tellIfEmpty();
  }

  private tellClosed({ subject }: EdgePeer, stream: number, { settlement, began }: Closing): void {
    this.host.post.send(subject, frameTypes.closed, stream, began ? 0 : neverBegan, encodeSettlement(settlement));
  }

  private tellIfEmpty(): void {
    if (this.size === 0) for (const resolve of this.whenEmpty.splice(0)) resolve();
  }
}

/**
 * The reason in a cancel frame; one that a newer edge may know and we do not counts as the caller's leaving.
 */
function toCancelReason(payload: Uint8Array): CancelReason {
  const text = Buffer.from(payload).toString();
  return cancelReasons.find((reason) => reason === text) ?? 'caller_left';
}
