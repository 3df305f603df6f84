import { mkdirSync, mkdtempSync, renameSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { isCurrent, sourcesOf, stamp } from './build';
import { serviceNames, sharedProgram } from './service-plan';

const inAnHour = new Date(Date.now() + 3_600_000);
const later = new Date(inAnHour.getTime() + 1_000);
let root: string;

function write(path: string, at?: Date): void {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), '');
  if (at) utimesSync(join(root, path), at, at);
}

/** As after a build that began then. */
const build = async (at = inAnHour) => stamp(root, (await sourcesOf(root)).names, at);

beforeEach(async () => {
  root = mkdtempSync(join(tmpdir(), 'tollgate-build-'));
  for (const path of ['apps/edge/src/main.ts', 'libs/messaging/src/deep/down/old.ts', 'nx.json']) write(path);
  for (const name of [...serviceNames, sharedProgram]) write(`dist/apps/${name}/main.js`);
  for (const path of ['apps/dashboard/index.html', 'tools/cli/main.js']) write(`dist/${path}`);
  write('libs/database/src/generated/.made-from');
});
afterEach(() => rmSync(root, { recursive: true }));

it('builds where nothing was built yet', async () => expect(await isCurrent(root)).toBe(false));

it('leaves what was built after the last change', async () => {
  await build();
  expect(await isCurrent(root)).toBe(true);
});

it.each(['apps/edge/src/main.ts', 'libs/messaging/src/deep/down/old.ts', 'nx.json'])(
  'builds again after a change of %s',
  async (path) => {
    await build();
    write(path, later);
    expect(await isCurrent(root)).toBe(false);
  },
);

it('builds again when a source comes or goes, whatever its time', async () => {
  await build();
  write('prisma/schema/key.prisma');
  expect(await isCurrent(root)).toBe(false);
  rmSync(join(root, 'prisma/schema/key.prisma'));
  expect(await isCurrent(root)).toBe(true);
  rmSync(join(root, 'libs/messaging/src/deep/down/old.ts'));
  expect(await isCurrent(root)).toBe(false);
});

it('takes an old file that was put in its place for a change', async () => {
  write('old.ts', new Date(0));
  await build(new Date());
  // The kernel's clock, by which it marks changes, goes in steps of up to ten milliseconds:
  // https://man7.org/linux/man-pages/man7/time.7.html
  await sleep(20);
  renameSync(join(root, 'old.ts'), join(root, 'apps/edge/src/main.ts'));
  expect(await isCurrent(root)).toBe(false);
});

it.each(['dist/apps/edge/main.js', 'dist/apps/dashboard/index.html', 'libs/database/src/generated/.made-from'])(
  'builds again where %s is missing',
  async (path) => {
    await build();
    rmSync(join(root, path));
    expect(await isCurrent(root)).toBe(false);
  },
);

it('does not look at what is made by building', async () => {
  await build();
  for (const path of ['libs/database/src/generated/.made-from', 'apps/dashboard/node_modules/.vite/x.js'])
    write(path, later);
  expect(await isCurrent(root)).toBe(true);
});
