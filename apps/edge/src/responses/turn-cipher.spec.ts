import { TurnCipher } from './turn-cipher';
import { packed, unpacked } from './turn';

const place = { accountId: 'account-1', id: 'resp_1', part: 0, parts: 1 };
const text = Buffer.from('a word of somebody');

describe('what is kept of a response', () => {
  it('opens where it was sealed, and under a pepper that has become a former one', () => {
    const sealed = new TurnCipher(['old pepper']).seal(text, place);
    expect(sealed.includes(text)).toBe(false);
    expect(new TurnCipher(['new pepper', 'old pepper']).open(sealed, place)).toEqual(text);
    expect(new TurnCipher(['new pepper']).open(sealed, place)).toBeNull();
  });

  it.each([{ accountId: 'account-2' }, { id: 'resp_2' }, { part: 1 }, { parts: 2 }])(
    'does not open in another place: %j',
    (other) => {
      const cipher = new TurnCipher(['pepper']);
      expect(cipher.open(cipher.seal(text, place), { ...place, ...other })).toBeNull();
    },
  );

  it('does not open when a bit of it changed, or a part is missing', () => {
    const cipher = new TurnCipher(['pepper']);
    const sealed = cipher.seal(text, place);
    for (const at of [0, 5, 20, sealed.length - 1]) {
      const changed = Buffer.from(sealed);
      changed.writeUInt8(changed.readUInt8(at) ^ 1, at);
      expect(cipher.open(changed, place)).toBeNull();
    }
    expect(cipher.open(sealed.subarray(0, 20), place)).toBeNull();
  });

  it('comes back as it was packed, unless it is larger than it may be', async () => {
    const turn = { input: Buffer.from('[1]'), output: Buffer.from('[]'), rest: Buffer.from('{"id":"r"}') };
    expect(await unpacked(await packed(turn), 100)).toEqual(turn);
    await expect(packed(turn).then((bytes) => unpacked(bytes, 5))).rejects.toThrow('larger than');
  });
});
