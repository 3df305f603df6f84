import { aSnapshot } from '@tollgate/testing';
import { PublishedCatalog } from './published-catalog';

function content(available: string[]) {
  const { revision: _, digest: _digest, ...rest } = aSnapshot({ available });
  return rest;
}

describe('PublishedCatalog', () => {
  it('keeps its revision while nothing differs', () => {
    const published = new PublishedCatalog(content(['a']), 1_000);
    expect(published.replace(content(['a']), 2_000)).toBe(false);
    expect(published.snapshot).toEqual({ revision: 1_000, ...content(['a']) });
  });

  it('has a greater revision after each change, taken from the clock', () => {
    const published = new PublishedCatalog(content([]), 1_000);
    expect(published.replace(content(['a']), 2_000)).toBe(true);
    expect(published.snapshot.revision).toBe(2_000);
  });

  it('has a greater revision also when the clock stands or goes back', () => {
    const published = new PublishedCatalog(content([]), 1_000);
    published.replace(content(['a']), 1_000);
    expect(published.snapshot.revision).toBe(1_001);
    published.replace(content(['b']), 5);
    expect(published.snapshot.revision).toBe(1_002);
  });

  it('has the digest of its content, whoever has it and under whichever revision', () => {
    const published = new PublishedCatalog(content(['a']), 1_000);
    const { digest } = published;
    expect(new PublishedCatalog(content(['a']), 2_000).digest).toBe(digest);
    published.adopt(3_000);
    expect(published.digest).toBe(digest);
    published.replace(content(['b']), 4_000);
    expect(published.digest).not.toBe(digest);
    published.replace(content(['a']), 5_000);
    expect(published.digest).toBe(digest);
  });

  it('takes the greater revision of another instance, never a smaller one', () => {
    const published = new PublishedCatalog(content([]), 1_000);
    published.adopt(3_000);
    published.adopt(2_000);
    expect(published.snapshot.revision).toBe(3_000);
  });
});
