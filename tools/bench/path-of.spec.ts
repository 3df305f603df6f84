import { passedBy, type Coverage } from './path-of';

const bundle = 'file:///dist/apps/edge/main.js';
const text = 'first();\nsecond();\n  third();\n';
const script = (calls: Record<number, [name: string, count: number]>, url = bundle): Coverage => [
  {
    url,
    functions: Object.entries(calls).map(([at, [functionName, count]]) => ({
      functionName,
      ranges: [{ startOffset: Number(at), count }],
    })),
  },
];
const passed = (busy: Coverage, idle: Coverage, source = 'apps/edge/src/one.ts') =>
  passedBy(
    busy,
    idle,
    () => text,
    ({ functionName, lineNumber, columnNumber }) => `${source}:${lineNumber}:${columnNumber} ${functionName}`,
  );

it('what ran is told by the line and column of its source, and how often', () => {
  const busy = script({ 0: ['first', 3], 9: ['second', 1], 21: ['third', 1] });
  expect(passed(busy, script({}))).toEqual([
    { file: 'apps/edge/src/one.ts:0:0', name: 'first', calls: 3 },
    { file: 'apps/edge/src/one.ts:1:0', name: 'second', calls: 1 },
    { file: 'apps/edge/src/one.ts:2:2', name: 'third', calls: 1 },
  ]);
});

it('what did not run, what runs anyway and what is no function is left out', () => {
  const busy = script({ 0: ['first', 0], 9: ['second', 1], 21: ['<instance_members_initializer>', 1] });
  expect(passed(busy, script({ 9: ['second', 7] }))).toEqual([]);
});

it('what others wrote is left out', () => {
  const busy = script({ 0: ['first', 1] });
  expect(passed(busy, [], 'node_modules/nats/lib/one.js')).toEqual([]);
  expect(passed(script({ 0: ['first', 1] }, 'node:net'), [])).toEqual([]);
});
