import { GatheredWork } from './gathered-work';

describe('GatheredWork', () => {
  it('does together what comes while it is busy, and each once', async () => {
    const done: (readonly string[])[] = [];
    const work = new GatheredWork<string>(async (items) => {
      done.push([...items]);
      await new Promise(setImmediate);
    });
    const first = work.run('a');
    await new Promise(process.nextTick);
    await Promise.all([first, work.run('b'), work.run('c')]);
    await work.run('d');
    expect(done).toEqual([['a'], ['b', 'c'], ['d']]);
  });

  it('fails for those alone by whom it fails, and goes on', async () => {
    const work = new GatheredWork<string>((items) =>
      items.includes('bad') ? Promise.reject(new Error('it is bad')) : Promise.resolve(),
    );
    const outcomes = await Promise.allSettled(['a', 'bad', 'b'].map((item) => work.run(item)));
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    await expect(work.run('bad')).rejects.toThrow('it is bad');
    await expect(work.run('c')).resolves.toBeUndefined();
  });
});
