import { StatementTurns } from './statement-turns';

it('reads one at a time, and refuses who would wait for too many', async () => {
  const turns = new StatementTurns();
  const ends: (() => void)[] = [];
  const read = () => new Promise<void>((resolve) => ends.push(resolve));
  const reading = Array.from({ length: 20 }, () => turns.take(read));
  await expect(turns.take(read)).rejects.toMatchObject({ code: 'unavailable' });
  for (let read = 1; read <= 20; read += 1) {
    await new Promise((resolve) => setImmediate(resolve));
    expect(ends).toHaveLength(read);
    ends.at(-1)?.();
  }
  await Promise.all(reading);
  await expect(turns.take(() => Promise.reject(new Error('away')))).rejects.toThrow('away');
  expect(await turns.take(() => Promise.resolve(7))).toBe(7);
});
