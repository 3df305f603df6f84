import { mkdirSync, mkdtempSync, readFileSync, readlinkSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { linkLibraries } from './library-links';

let folder: string;
let root: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tollgate-links-'));
  root = join(folder, 'native');
  mkdirSync(join(root, 'lib'), { recursive: true });
  writeFileSync(join(root, 'lib/libpq.so.5.18'), 'the library');
});
afterEach(() => rmSync(folder, { recursive: true }));

function list(links: unknown): void {
  writeFileSync(join(root, 'pg-symlinks.json'), JSON.stringify(links));
}

it('makes the links that are missing, and leaves the others', () => {
  list([
    { source: 'native/lib/libpq.so.5.18', target: 'native/lib/libpq.so' },
    { source: 'native/lib/libpq.so.5.18', target: 'native/lib/libpq.so.5' },
  ]);
  linkLibraries(root);
  linkLibraries(root);
  expect(readlinkSync(join(root, 'lib/libpq.so'))).toBe('libpq.so.5.18');
  expect(readFileSync(join(root, 'lib/libpq.so.5'), 'utf8')).toBe('the library');
});

it('needs no list, as on platforms whose libraries have one name each', () => {
  expect(() => linkLibraries(root)).not.toThrow();
});

it('says that a list of something else is none', () => {
  list([{ source: 'native/lib/libpq.so.5.18', target: 'elsewhere/libpq.so' }]);
  expect(() => linkLibraries(root)).toThrow(/is not a list of links/);
});
