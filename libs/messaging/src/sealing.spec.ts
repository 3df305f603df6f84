import { AnswerKey, sealBytes, sealerFor } from './sealing';
import type { Sealer } from './sealing';

describe('a sealed answer', () => {
  const asked = new AnswerKey();
  const open = Buffer.from('from');
  const answer = Buffer.from('what nobody else is to read');

  function sealer(): Sealer {
    const made = sealerFor(asked);
    if (!made) throw new Error('the question brought no key');
    return made;
  }

  it('is read by who asked, and is so much longer', () => {
    const sealed = sealer().seal(answer, open);
    expect(sealed.length).toBe(answer.length + sealBytes);
    expect(sealed.includes(answer.subarray(0, 4))).toBe(false);
    expect(asked.unseal(sealed, open).equals(answer)).toBe(true);
    expect(asked.unseal(sealer().seal(Buffer.alloc(0)))).toHaveLength(0);
  });

  it('is read by nobody else, nor when a byte of it or of what stands before it was changed', () => {
    const sealed = sealer().seal(answer, open);
    expect(() => new AnswerKey().unseal(sealed, open)).toThrow();
    expect(() => asked.unseal(sealed, Buffer.from('for_'))).toThrow();
    expect(() => asked.unseal(sealed.subarray(0, sealBytes - 1), open)).toThrow();
    for (const at of [0, 12, sealed.length - 1]) {
      const changed = Buffer.from(sealed);
      changed[at] = (changed[at] ?? 0) ^ 1;
      expect(() => asked.unseal(changed, open)).toThrow();
    }
  });

  it('is sealed with no key that comes in the name of another', () => {
    expect(sealerFor(asked, asked.id)).not.toBeNull();
    expect(sealerFor(new AnswerKey(), asked.id)).toBeNull();
  });

  it('never repeats a nonce, whoever seals', () => {
    const several = [sealer(), sealer()];
    const nonces = Array.from({ length: 600 }, (_, at) => several[at % 2]?.seal(answer).toString('hex', 0, 12));
    expect(new Set(nonces).size).toBe(600);
    // Replies are sealed once each: all of a nonce must be as good as random then.
    const once = Array.from({ length: 300 }, () => sealer().seal(answer));
    for (const from of [0, 6])
      expect(new Set(once.map((sealed) => sealed.toString('hex', from, from + 6))).size).toBe(300);
  });

  it('is sealed for nobody who brought no key, or none that is one', () => {
    expect(sealerFor({ headers: undefined })).toBeNull();
    const { headers } = new AnswerKey();
    for (const name of headers.keys()) headers.set(name, 'short');
    expect(sealerFor({ headers })).toBeNull();
  });
});
