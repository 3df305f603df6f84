import { GatheredWork } from './gathered-work';

const noneOfAll = () => false;

describe('GatheredWork', () => {
  it('does together what comes while it is busy, and each once', async () => {
    const done: (readonly string[])[] = [];
    const work = new GatheredWork<string>(
      2,
      async (items) => {
        done.push([...items]);
        await new Promise(setImmediate);
      },
      noneOfAll,
    );
    await Promise.all(['a', 'b', 'c', 'd'].map((item) => work.run(item)));
    await work.run('e');
    expect(done).toEqual([['a'], ['b', 'c'], ['d'], ['e']]);
  });

  it('fails for those alone by whom it fails, and goes on', async () => {
    const work = new GatheredWork<string>(
      10,
      (items) => (items.includes('bad') ? Promise.reject(new Error('it is bad')) : Promise.resolve()),
      noneOfAll,
    );
    const outcomes = await Promise.allSettled(['a', 'b', 'bad', 'c'].map((item) => work.run(item)));
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected', 'fulfilled']);
    await expect(work.run('bad')).rejects.toThrow('it is bad');
    await expect(work.run('d')).resolves.toBeUndefined();
  });

  it('fails for all at once by what is none of theirs', async () => {
    let tries = 0;
    const work = new GatheredWork<string>(
      10,
      () => {
        tries += 1;
        return Promise.reject(new Error('the database is away'));
      },
      () => true,
    );
    const outcomes = await Promise.allSettled(['a', 'b', 'c'].map((item) => work.run(item)));
    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
    expect(tries).toBe(2);
  });
});
