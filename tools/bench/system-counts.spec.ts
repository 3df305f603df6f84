import { countsEach, fieldOf } from './system-counts';

it('reads a number of a file of /proc, of that name and of no other', () => {
  const status = 'Name:\tnode\nnonvoluntary_ctxt_switches:\t7\nvoluntary_ctxt_switches:\t4021\n';
  expect(fieldOf(status, 'voluntary_ctxt_switches')).toBe(4_021);
  expect(fieldOf('rchar: 323934931\nsyscr: 632687\n', 'syscr')).toBe(632_687);
  expect(fieldOf(status, 'syscr')).toBe(0);
});

it('tells what was counted since, for each request; of a process that is new, all of it', () => {
  const before = new Map([['edge', { reads: 100, writes: 50, sleeps: 10 }]]);
  const after = new Map([
    ['edge', { reads: 300, writes: 350, sleeps: 60 }],
    ['metering', { reads: 20, writes: 0, sleeps: 1 }],
  ]);
  expect(countsEach(before, after, 100)).toEqual(
    new Map([
      ['edge', { reads: 2, writes: 3, sleeps: 0.5 }],
      ['metering', { reads: 0.2, writes: 0, sleeps: 0.01 }],
    ]),
  );
});
