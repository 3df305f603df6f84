import { keyUnder, openText, sealText } from './sealed-text';

describe('a sealed text', () => {
  const key = keyUnder('a pepper', 'a purpose');

  it('opens with its key alone, and never looks the same twice', () => {
    const sealed = sealText(key, 'a secret');
    expect(openText(key, sealed)).toBe('a secret');
    expect(sealText(key, 'a secret')).not.toBe(sealed);
    expect(() => openText(keyUnder('a pepper', 'another purpose'), sealed)).toThrow();
    expect(() => openText(keyUnder('another pepper', 'a purpose'), sealed)).toThrow();
  });

  it('opens about nothing but what it was sealed about', () => {
    const sealed = sealText(key, 'a secret', 'one thing');
    expect(openText(key, sealed, 'one thing')).toBe('a secret');
    expect(() => openText(key, sealed, 'another thing')).toThrow();
    expect(() => openText(key, sealed)).toThrow();
  });

  it.each(['', 'AAAA', 'not base64 at all'])('that is none is refused: %j', (sealed) => {
    expect(() => openText(key, sealed)).toThrow();
  });
});
