import { build } from 'esbuild';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, realpathSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

// A folder may be called so.
const folder = realpathSync(mkdtempSync(join(tmpdir(), "tollgate traces $' #1 é ")));

afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function printedBy(
  source: string,
  sourcemap: boolean,
  name = 'main.js',
  options: readonly string[] = [],
): Promise<string> {
  writeFileSync(join(folder, 'thrower.ts'), source);
  const outfile = join(folder, name);
  await build({
    entryPoints: [join(folder, 'thrower.ts')],
    inject: [join(__dirname, 'named-traces.ts')],
    outfile,
    bundle: true,
    platform: 'node',
    minifyWhitespace: true,
    sourcemap,
  });
  return execFileSync(process.execPath, [...options, outfile], { encoding: 'utf8' });
}

const source = `
  interface Nothing {}
  class Thrower {
    fail(): never {
      throw new RangeError('too far');
    }
  }
  try {
    new Thrower().fail();
  } catch (error) {
    console.log((error as Error).stack);
  }
`;

it('names the lines of the sources in the traces of a bundle', async () => {
  const trace = (await printedBy(source, true)).split('\n');
  expect(trace[0]).toBe('RangeError: too far');
  expect(trace[1]).toBe(`    at Thrower.fail (${folder}/thrower.ts:5:13)`);
  expect(trace[2]).toMatch(`(${folder}/thrower.ts:9:19)`);
  // What is Node's has no map.
  expect(trace.join('\n')).toContain('node:internal');
});

it('tells the lines of the bundle where no map is', async () => {
  rmSync(join(folder, 'main.js.map'), { force: true });
  expect((await printedBy(source, false)).split('\n')[1]).toMatch(/^ {4}at Thrower\.fail \(.*main\.js:\d+:\d+\)$/);
});

it('reads no map of packages', async () => {
  expect((await printedBy(source, true, 'packages.js')).split('\n')[1]).toMatch(
    /^ {4}at Thrower\.fail .*packages\.js:/,
  );
});

it('leaves an error that is nobody’s error class its words, and a broken map its trace', async () => {
  const odd = `console.log((Object.assign(new Error('plain'), { name: 'AbortError' })).stack)`;
  await printedBy(odd, true);
  writeFileSync(join(folder, 'main.js.map'), 'no map');
  const trace = execFileSync(process.execPath, [join(folder, 'main.js')], { encoding: 'utf8' });
  expect(trace).toMatch(/^AbortError: plain\n {4}at .*main\.js:\d+:\d+/);
});

it('keeps the codes of Node’s errors', async () => {
  const source = `try { Buffer.alloc('' as never); } catch (error) { console.log((error as Error).stack); }`;
  expect(await printedBy(source, true)).toMatch(/^TypeError \[ERR_INVALID_ARG_TYPE\]: The "size" argument/);
});

it('keeps little more of a map than its text', async () => {
  const lines = Array.from({ length: 20_000 }, (_, line) => `numbers.push(Math.max(${line}, numbers.length));`);
  const heldBy = `
    const numbers: number[] = [];
    ${lines.join('\n')}
    const held = (): number => (globalThis.gc?.(), process.memoryUsage().heapUsed);
    const before = held();
    const trace = new Error('first').stack;
    console.log(trace?.includes('thrower.ts'), held() - before, numbers.length);
  `;
  const [named, bytes] = (await printedBy(heldBy, true, 'main.js', ['--expose-gc'])).split(' ');
  const map = statSync(join(folder, 'main.js.map')).size;
  expect(named).toBe('true');
  expect(map).toBeGreaterThan(500_000);
  expect(Number(bytes)).toBeLessThan(2 * map);
});
