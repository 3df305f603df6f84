import { TransientMap } from '../../memory/transient';
import type { Owner } from '../../memory/turns-by-owner';
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
