import { Silence } from './silence';

/**
 * The looks, each with its time and the answers until then, up to the one that finds it too long; null: none
 * does.
 */
function tooLongAt(looks: readonly (readonly [atMs: number, heard: number])[]): number | null {
  const silence = new Silence(0, 0);
  return looks.find(([atMs, heard]) => silence.isTooLong(atMs, heard))?.[0] ?? null;
}

describe('the silence of Valkey', () => {
  it('is too long after three looks in vain, not after one late answer', () => {
    expect(
      tooLongAt([
        [50, 0],
        [101, 0],
      ]),
    ).toBeNull();
    expect(
      tooLongAt([
        [50, 0],
        [101, 0],
        [152, 0],
        [203, 0],
      ]),
    ).toBe(152);
  });

  it('says nothing while this process itself was late', () => {
    expect(
      tooLongAt([
        [50, 0],
        [200, 0],
        [350, 0],
        [400, 0],
      ]),
    ).toBeNull();
  });

  it('is none while others are answered, but not for ever', () => {
    expect(
      tooLongAt([
        [50, 0],
        [100, 0],
        [150, 1],
        [200, 1],
        [250, 1],
      ]),
    ).toBeNull();
    expect(tooLongAt(Array.from({ length: 20 }, (_, look) => [look * 50, look] as const))).toBe(500);
  });
});
