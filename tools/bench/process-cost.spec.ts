import { costBetween, cpuTimesUs, parsePsLine, parseRollup, parseStat, residentBytes } from './process-cost';

describe('the cost of a process', () => {
  it('is read from the process table of Linux, whatever the program is called', () => {
    const stat = '42 (a) (b c) S 7 42 42 0 -1 4194560 1 2 3 4 150 50 6 7 20 0 11 0 99 1000 256 18446744073709551615 1';
    expect(parseStat(stat)).toEqual({ pid: 42, parent: 7, cpuUs: 2_130_000, memoryBytes: 256 * 4096 });
  });

  it('counts what its ended children used, which would else be taken off when one ends', () => {
    const before = parseStat('42 (postgres) S 7 42 42 0 -1 4194560 1 2 3 4 150 50 0 0 20 0 11 0 99 1000 256');
    const after = parseStat('42 (postgres) S 7 42 42 0 -1 4194560 1 2 3 4 150 50 30 20 20 0 11 0 99 1000 256');
    expect(after.cpuUs - before.cpuUs).toBe(500_000);
  });

  it.each([
    ['  42   7  0:01.50  1024', 1_500_000],
    ['42 7 01:02:03 1024', 3_723_000_000],
    ['42 7 2-00:00:01 1024', 172_801_000_000],
  ])('is read from ps (%s)', (line, cpuUs) => {
    expect(parsePsLine(line)).toEqual({ pid: 42, parent: 7, cpuUs, memoryBytes: 1024 * 1024 });
  });

  it('counts shared pages by their share, where the system tells', () => {
    const rollup = '00400000-7ffd [rollup]\nRss:  214152 kB\nPss:  166006 kB\nPss_Anon:  120000 kB\n';
    expect(parseRollup(rollup)).toBe(166_006 * 1024);
    expect(parseRollup('Rss:  214152 kB\n')).toBeNull();
  });

  it('between two looks is the CPU time in between and the memory at the end', () => {
    const before = new Map([['edge', { cpuUs: 100, memoryBytes: 5 }]]);
    const after = new Map([['edge', { cpuUs: 150, memoryBytes: 9 }]]);
    expect(costBetween(before, after).get('edge')).toEqual({ cpuUs: 50, memoryBytes: 9 });
  });

  it('is told of memory and of CPU time alone, too, and nothing of a process that has ended', () => {
    const [noProcess, own] = [2 ** 30, process.pid];
    const held = residentBytes(new Map(Object.entries({ own, noProcess })));
    expect(held.get('own')).toBeGreaterThan(20_000_000);
    expect(held.get('noProcess') ?? 0).toBe(0);
    expect(cpuTimesUs(new Map(Object.entries({ own, noProcess }))).get('own')).toBeGreaterThan(0);
  });
});
