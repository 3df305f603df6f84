import { defaultHopSettings } from '../hop-settings';
import { Arrivals, RequestAssembly } from './arrivals';
import { EdgePeer } from './edge-peer';

const owner = (keyId: string, accountId = 'account') => ({ keyId, accountId });

describe('requests that arrive', () => {
  let arrivals: Arrivals;

  beforeEach(() => (arrivals = new Arrivals()));

  function add(stream: number, keyId: string | null, contentBytes: number): void {
    const envelope = {
      ...{ edge: 'edge', stream, sentAt: 0, window: 1_000 },
      ...{ requestBytes: 0, contentBytes, part: Buffer.alloc(0) },
    };
    const assembly = new RequestAssembly(envelope, false, 0, null);
    const peer = new EdgePeer('edge', 0, defaultHopSettings);
    const whose = keyId === null ? null : owner(keyId);
    arrivals.add({ peer, envelope, assembly, owner: whose, heardAt: 0, told: 0 });
  }

  it('have half of all room where they are of one key', () => {
    add(1, 'key', 400);
    expect(arrivals.hasRoomFor(owner('key'), 101, 1_000)).toBe(false);
    expect(arrivals.hasRoomFor(owner('key'), 100, 1_000)).toBe(true);
    expect(arrivals.hasRoomFor(owner('other', 'another account'), 600, 1_000)).toBe(true);
  });

  it('have three quarters of it where they are of one account, however many keys that has', () => {
    add(1, 'one', 400);
    add(2, 'two', 300);
    expect(arrivals.hasRoomFor(owner('three'), 51, 1_000)).toBe(false);
    expect(arrivals.hasRoomFor(owner('three'), 50, 1_000)).toBe(true);
    expect(arrivals.hasRoomFor(owner('other', 'another account'), 300, 1_000)).toBe(true);
  });

  it('have all of it where an older edge does not say whose they are', () => {
    add(1, null, 400);
    add(2, null, 400);
    expect(arrivals.hasRoomFor(null, 200, 1_000)).toBe(true);
    expect(arrivals.hasRoomFor(null, 201, 1_000)).toBe(false);
  });
});
