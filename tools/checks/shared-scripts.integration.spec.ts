import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type * as Zod from 'zod';

const load = createRequire(__filename);
const zodPath = load.resolve('zod');
let folder: string;

beforeAll(() => (folder = mkdtempSync(join(tmpdir(), 'tollgate-shared-scripts-'))));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function loaded(name: string, text: string): unknown {
  writeFileSync(join(folder, name), text);
  let found: unknown;
  jest.isolateModules(() => void (found = load(join(folder, name))));
  return found;
}

it('runs a file anew each time it is loaded, among the globals of its test file', () => {
  const text = 'let count = 0; exports.next = () => ++count; exports.list = [];';
  const [one, other] = [loaded('state.cjs', text), loaded('state.cjs', text)] as {
    next: () => number;
    list: unknown;
  }[];
  expect([one?.next(), one?.next(), other?.next()]).toEqual([1, 2, 1]);
  expect(other?.list).toBeInstanceOf(Array);
});

it('compiles a file once: a template is the same object where the same compiled text is run again', () => {
  // https://tc39.es/ecma262/#sec-gettemplateobject: one for each place of a script in a realm.
  const text = 'exports.template = ((strings) => strings)`of one place`;';
  const [one, other] = [loaded('template.cjs', text), loaded('template.cjs', text)] as { template: unknown }[];
  expect(one).not.toBe(other);
  expect(one?.template).toBe(other?.template);
});

it('has what a package holds once, from Node, whose errors are those of tests', () => {
  const [one, other] = ['one.cjs', 'other.cjs'].map((name) => loaded(name, `exports.zod = require('${zodPath}');`)) as {
    zod: typeof Zod;
  }[];
  expect(one?.zod).toBe(other?.zod);
  expect(one?.zod.z.string().safeParse(1).error).toBeInstanceOf(Error);
  const fault = jest.fn(() => readFileSync(join(folder, 'none')));
  expect(fault).toThrow('ENOENT');
  expect(fault.mock.results[0]?.value).toBeInstanceOf(Error);
});

it('loads a package among what is Node’s, whatever the test file that needs it first has in its place', () => {
  const packages = join(folder, 'node_modules');
  mkdirSync(packages);
  writeFileSync(
    join(packages, 'first.cjs'),
    'exports.found = [setTimeout, fetch, process.env.MINE]; globalThis.firsts = 1;',
  );
  const { setTimeout: setTimeoutOfNode, fetch: fetchOfNode } = globalThis;
  jest.useFakeTimers();
  process.env.MINE = 'of the test';
  globalThis.fetch = jest.fn();
  try {
    const { found } = load(join(packages, 'first.cjs')) as { found: unknown[] };
    expect(found).toEqual([setTimeoutOfNode, fetchOfNode, undefined]);
    expect(globalThis.setTimeout).not.toBe(setTimeoutOfNode);
    expect(process.env.MINE).toBe('of the test');
    expect(globalThis).toHaveProperty('firsts', 1);
  } finally {
    globalThis.fetch = fetchOfNode;
    jest.useRealTimers();
  }
});

it('takes a mock in place of a package', () => {
  jest.doMock(zodPath, () => ({ z: 'mocked' }));
  expect(loaded('mocked.cjs', `exports.zod = require('${zodPath}');`)).toEqual({ zod: { z: 'mocked' } });
  jest.dontMock(zodPath);
});

it('tells the line and the column of an error', () => {
  const text = 'exports.first = new Error("here");\nexports.second = new Error("there");';
  const { first, second } = loaded('error.cjs', text) as Record<'first' | 'second', Error>;
  expect(first.stack).toContain('error.cjs:1:17');
  expect(second.stack).toContain('error.cjs:2:18');
});

it('leaves it to Jest to say what is wrong with a file that cannot be compiled', () => {
  expect(() => loaded('wrong.cjs', 'a b')).toThrow('Unexpected identifier');
});
