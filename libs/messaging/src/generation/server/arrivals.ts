import { TransientMap } from '../../memory/transient';
import type { PlaceOwner } from '../generation-stream';
import type { RequestEnvelope } from '../request-envelope';
import type { EdgePeer } from './edge-peer';
import type { RequestAssembly } from './request-assembly';

/**
 * A request whose content is not all here yet. `owner` null: it is not known yet, and has no place. `heardAt`
 * is a tick; `told` is how much of it edge knows to have arrived.
 */
export interface Arrival {
  peer: EdgePeer;
  envelope: RequestEnvelope;
  assembly: RequestAssembly;
  owner: PlaceOwner | null;
  heardAt: number;
  told: number;
}

/** The requests of one instance that are still arriving, by edge and stream. */
export class Arrivals {
  private readonly all = new TransientMap<string, Arrival>();
  private readonly bytesByKey = new TransientMap<string, number>();
  private allBytes = 0;

  get size(): number {
    return this.all.size;
  }

  /**
   * Whether one more may arrive where all may hold `budgetBytes`, and several of one key half of that.
   * `keyId` null: an older edge does not say whose it is.
   */
  hasRoomFor(keyId: string | null, contentBytes: number, budgetBytes: number): boolean {
    const own = keyId === null ? 0 : this.bytesOf(keyId);
    return this.allBytes + contentBytes <= budgetBytes && (own === 0 || own + contentBytes <= budgetBytes / 2);
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

  private bytesOf(keyId: string): number {
    return this.bytesByKey.get(keyId) ?? 0;
  }

  private count(owner: PlaceOwner | null, bytes: number): void {
    this.allBytes += bytes;
    if (owner === null) return;
    const { keyId } = owner;
    const own = this.bytesOf(keyId) + bytes;
    if (own > 0) this.bytesByKey.set(keyId, own);
    else this.bytesByKey.delete(keyId);
  }
}

function nameOf(peer: EdgePeer, stream: number): string {
  return `${peer.id} ${stream}`;
}
