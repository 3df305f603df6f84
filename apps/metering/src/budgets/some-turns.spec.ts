import { SomeTurns } from './some-turns';

describe('SomeTurns', () => {
  it('gives so many turns at once, in the order of arrival, and goes on after a failure', async () => {
    const turns = new SomeTurns(2);
    const begun: string[] = [];
    let [running, most] = [0, 0];
    const take = (name: string) =>
      turns.take(async () => {
        begun.push(name);
        most = Math.max(most, ++running);
        await new Promise(setImmediate);
        running--;
        if (name === 'b') throw new Error('it fails');
        return name;
      });
    const outcomes = await Promise.allSettled(['a', 'b', 'c', 'd', 'e'].map(take));
    expect(begun).toEqual(['a', 'b', 'c', 'd', 'e']);
    expect(most).toBe(2);
    expect(outcomes.map(({ status }) => status)).toEqual([
      'fulfilled',
      'rejected',
      'fulfilled',
      'fulfilled',
      'fulfilled',
    ]);
    expect(await take('f')).toBe('f');
  });
});
