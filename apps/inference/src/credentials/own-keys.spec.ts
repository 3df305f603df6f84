import { sealOwnKey } from '@tollgate/sealing';
import { aProvider } from '../testing/fixtures';
import { KeyRing } from './key-ring';
import { OwnKeys } from './own-keys';

const ring = new KeyRing(['a key-encryption key, 32 characters']);
const acme = aProvider({ authentication: 'x-api-key' });
const [sealing] = ring.opens;

function box(key: string, accountId = 'account'): string {
  if (!sealing) throw new Error('the ring is empty');
  return sealOwnKey(accountId, 'acme', key, { sealing, baseUrl: acme.baseUrl }).sealed;
}

describe('keys that accounts brought', () => {
  it('are asked with as their provider wants it, and are of another account than the operator’s', () => {
    const key = new OwnKeys(ring).open('account', acme, box('sk-own'));
    expect(key).toEqual({
      ...{ number: 0, apiKey: 'sk-own', headers: { 'x-api-key': 'sk-own' } },
      account: expect.stringMatching(/^[0-9a-f]{8}$/),
    });
  });

  it('open for nobody else, nowhere else, and not without the key-encryption key', () => {
    const keys = new OwnKeys(ring);
    const sealed = box('sk-own');
    expect(keys.open('account', acme, sealed)).not.toBeNull();
    expect(keys.open('another', acme, sealed)).toBeNull();
    expect(keys.open('account', aProvider({ id: 'other' }), sealed)).toBeNull();
    expect(keys.open('account', aProvider({ baseUrl: 'https://moved.example/v1' }), sealed)).toBeNull();
    expect(new OwnKeys(new KeyRing([])).open('account', acme, sealed)).toBeNull();
  });

  it('are sealed again with the newest key, for the same account alone', () => {
    const rotated = new KeyRing(['another key-encryption key, 32 letters', 'a key-encryption key, 32 characters']);
    const again = rotated.resealOwn('account', acme, box('sk-own')) ?? '';
    expect(again.startsWith(`${rotated.opens[0]?.id}.`)).toBe(true);
    expect(new OwnKeys(rotated).open('account', acme, again)?.apiKey).toBe('sk-own');
    expect(new OwnKeys(rotated).open('another', acme, again)).toBeNull();
    expect(rotated.resealOwn('another', acme, box('sk-own'))).toBeNull();
  });

  it('are opened once while they are in use, and forgotten when many others were', () => {
    let times = 0;
    const counted: Pick<KeyRing, 'openOwn'> = {
      openOwn: (...asked) => {
        times += 1;
        return ring.openOwn(...asked);
      },
    };
    const keys = new OwnKeys(counted, 2);
    const sealed = ['one', 'two', 'three'].map((key) => box(key));
    const open = (at: number) => keys.open('account', acme, sealed[at] ?? '')?.apiKey;
    expect([open(0), open(1), open(0), open(2), open(0)]).toEqual(['one', 'two', 'one', 'three', 'one']);
    expect(times).toBe(3);
    expect(open(1)).toBe('two');
    expect(times).toBe(4);
  });
});
