import { OpeningKey, sealFor } from './sealed-box';

const secret = 'a secret of the environment, 32 characters';
const opening = new OpeningKey(secret);
const seal = (text: string, about: string) => sealFor(opening.public, text, about);

describe('a sealed box', () => {
  it('is opened by whoever has the secret, wherever that runs', () => {
    const sealed = seal('sk-live', 'acme main');
    expect(new OpeningKey(secret).open(sealed, 'acme main')).toBe('sk-live');
    expect(new OpeningKey(secret).public).toEqual(opening.public);
    expect(sealed).not.toContain('sk-live');
    expect(seal('sk-live', 'acme main')).not.toBe(sealed);
  });

  it('is opened about nothing else, by no other secret, and not where a letter of it is another', () => {
    const sealed = seal('sk-live', 'acme main');
    const other = new OpeningKey(`${secret}, another`);
    expect(() => opening.open(sealed, 'other main')).toThrow();
    expect(() => other.open(sealed, 'acme main')).toThrow();
    const [id = '', sender = '', text = ''] = sealed.split('.');
    const changed = Buffer.from(text, 'base64');
    changed.writeUInt8(changed.readUInt8(20) ^ 1, 20);
    expect(() => opening.open([id, sender, changed.toString('base64')].join('.'), 'acme main')).toThrow();
    const [, otherSender = ''] = seal('sk-live', 'acme main').split('.');
    expect(() => opening.open([id, otherSender, text].join('.'), 'acme main')).toThrow();
  });

  it('names the key that opens it', () => {
    expect(opening.fits(seal('sk-live', ''))).toBe(true);
    expect(new OpeningKey(`${secret}, another`).fits(seal('sk-live', ''))).toBe(false);
  });

  it.each(['', '.', 'a.b.c', 'no box'])('that is none is refused: %j', (sealed) => {
    expect(() => opening.open(sealed, '')).toThrow();
  });

  it('is made for no key that is none', () => {
    expect(() => sealFor({ id: 'x', publicKey: 'short' }, 'sk-live', '')).toThrow();
  });

  it('is not made with a key that anybody could agree on', () => {
    const zero = Buffer.alloc(32).toString('base64url');
    expect(() => sealFor({ id: 'x', publicKey: zero }, 'sk-live', '')).toThrow();
  });
});
