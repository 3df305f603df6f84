import { generationRequest, type GenerationRequest } from '@tollgate/contracts/inference';
import { bufferOf } from '../../memory/large-buffers';
import { TransientMap } from '../../memory/transient';
import type { Owner } from '../../memory/turns-by-owner';
import { FrameError } from '../frame';
import { fromPayload } from '../frame-json';
import type { RequestEnvelope } from '../request-envelope';
import type { EdgePeer } from './edge-peer';

/**
 * A request whose content is not all here yet. `owner` null: it is not known yet, and has no place. `heardAt`
 * is a tick; `told` is how much of it edge knows to have arrived.
 */
export interface Arrival {
  peer: EdgePeer;
  envelope: RequestEnvelope;
  assembly: RequestAssembly;
  owner: Owner | null;
  heardAt: number;
  told: number;
}

/** From so full on, an account that has more than half takes no more. */
const shortFrom = 0.75;

/** The requests of one instance that are still arriving, by edge and stream. */
export class Arrivals {
  private readonly all = new TransientMap<string, Arrival>();
  private readonly bytesByKey = new TransientMap<string, number>();
  private readonly bytesByAccount = new TransientMap<string, number>();
  private allBytes = 0;

  get size(): number {
    return this.all.size;
  }

  /**
   * Whether one more may arrive where all may hold `budgetBytes`, and several of one key half of that; beyond
   * that half the keys of one account have some only of three quarters.
   * `owner` null: an older edge does not say whose it is.
   */
  hasRoomFor(owner: Owner | null, contentBytes: number, budgetBytes: number): boolean {
    const all = this.allBytes + contentBytes;
    if (all > budgetBytes) return false;
    if (owner === null) return true;
    const [ofKey, ofAccount] = [bytesIn(this.bytesByKey, owner.keyId), bytesIn(this.bytesByAccount, owner.accountId)];
    if (ofKey > 0 && ofKey + contentBytes > budgetBytes / 2) return false;
    return ofAccount === 0 || ofAccount + contentBytes <= budgetBytes / 2 || all <= budgetBytes * shortFrom;
  }

  get(peer: EdgePeer, stream: number): Arrival | undefined {
    return this.all.get(nameOf(peer, stream));
  }

  add(arrival: Arrival): void {
    const { peer, envelope, owner } = arrival;
    this.all.set(nameOf(peer, envelope.stream), arrival);
    this.count(owner, envelope.contentBytes);
  }

  remove({ peer, envelope, owner }: Arrival): void {
    if (this.all.delete(nameOf(peer, envelope.stream))) this.count(owner, -envelope.contentBytes);
  }

  list(): Arrival[] {
    return [...this.all.values()];
  }

  private count(owner: Owner | null, bytes: number): void {
    this.allBytes += bytes;
    if (owner === null) return;
    count(this.bytesByKey, owner.keyId, bytes);
    count(this.bytesByAccount, owner.accountId, bytes);
  }
}

function bytesIn(bytesBy: TransientMap<string, number>, id: string): number {
  return bytesBy.get(id) ?? 0;
}

function count(bytesBy: TransientMap<string, number>, id: string, bytes: number): void {
  const own = bytesIn(bytesBy, id) + bytes;
  if (own > 0) bytesBy.set(id, own);
  else bytesBy.delete(id);
}

function nameOf(peer: EdgePeer, stream: number): string {
  return `${peer.id} ${stream}`;
}

/**
 * Puts the content of a request together. What came in one message is used as it is; only a larger one is
 * copied, into one buffer of its full size.
 */
export class RequestAssembly {
  private content: Buffer | null = null;
  private whole: Uint8Array | null = null;
  private received = 0;

  /**
   * `useFirstPart` false: the envelope's part is thrown away, and everything must be sent again.
   * `receivedAt`: when the envelope came, by this process's clock, epoch milliseconds.
   */
  constructor(
    private readonly envelope: RequestEnvelope,
    useFirstPart: boolean,
    private readonly receivedAt: number,
    /** What the envelope tells already; null: nothing. */
    private readonly request: GenerationRequest | null,
  ) {
    const { part, contentBytes } = envelope;
    if (useFirstPart && part.length === contentBytes) {
      this.whole = part;
      this.received = contentBytes;
      return;
    }
    this.content = bufferOf(contentBytes);
    if (useFirstPart) this.add(0, part);
  }

  get receivedBytes(): number {
    return this.received;
  }

  get isComplete(): boolean {
    return this.received === this.envelope.contentBytes;
  }

  /**
   * What is here already came again, after a loss, and is passed over.
   * @throws FrameError when bytes in front of the part are missing, or it is too long.
   */
  add(offset: number, part: Uint8Array): void {
    if (!this.content || offset > this.received || offset + part.length > this.content.length)
      throw new FrameError('a part of a request is missing or in the wrong place');
    const here = this.received - offset;
    if (here >= part.length) return;
    this.content.set(part.subarray(here), this.received);
    this.received = offset + part.length;
  }

  /**
   * The request and its body, once complete. Its times are of this process's clock: what counts of them is
   * how far they lay from the sending, by edge's clock, so that it makes no difference how far the two clocks
   * are apart. @throws FrameError when the request does not parse.
   */
  result(): { request: GenerationRequest; body: Uint8Array } {
    const content = this.whole ?? this.content;
    if (!content || !this.isComplete) throw new FrameError('a request is not complete');
    const { requestBytes, sentAt } = this.envelope;
    const request = this.request ?? fromPayload(generationRequest, content.subarray(0, requestBytes));
    const apartMs = this.receivedAt - sentAt;
    const { startedAt, deadlineAt } = request;
    return {
      request: { ...request, startedAt: startedAt + apartMs, deadlineAt: deadlineAt + apartMs },
      body: content.subarray(requestBytes),
    };
  }
}

/**
 * The request, where all of it stands in its envelope; else null, as in an offer of an older edge.
 * @throws FrameError when it does not parse: it is of a kind that this instance does not know, say.
 */
export function requestIn({ part, requestBytes }: RequestEnvelope): GenerationRequest | null {
  if (requestBytes === 0 || part.length < requestBytes) return null;
  return fromPayload(generationRequest, part.subarray(0, requestBytes));
}
