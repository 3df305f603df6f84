import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import { workspaceRoot } from '../stack/workspace-root';

const licence = z.union([
  z.strictObject({ license: z.union([z.strictObject({ id: z.string() }), z.strictObject({ name: z.string() })]) }),
  z.strictObject({ expression: z.string() }),
]);
const component = z.object({
  type: z.enum(['application', 'library']),
  'bom-ref': z.string(),
  name: z.string(),
  version: z.string(),
  purl: z.string().optional(),
  hashes: z.array(z.object({ alg: z.literal('SHA-512'), content: z.string().regex(/^[0-9a-f]{128}$/) })).optional(),
  licenses: z.array(licence),
});
/** The parts of https://cyclonedx.org/docs/1.6/json/ that are used. */
const cycloneDx = z.strictObject({
  bomFormat: z.literal('CycloneDX'),
  specVersion: z.literal('1.6'),
  version: z.literal(1),
  metadata: z.object({ component }),
  components: z.array(component),
});

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'bill-of-materials-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const script = join(workspaceRoot, 'tools/bill-of-materials.mjs');
const write = (path: string, content: object): void => {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  writeFileSync(join(folder, path), JSON.stringify(content));
};
const bill = (cwd: string, ...given: string[]) =>
  cycloneDx.parse(JSON.parse(execFileSync(process.execPath, [script, ...given], { cwd, encoding: 'utf8' })));

it('names each package of an image once for each place, with its licence and digest, and those in its pages', () => {
  const integrity = `sha512-${Buffer.alloc(64, 7).toString('base64')}`;
  const packages = {
    '': { name: 'tollgate', license: 'Apache-2.0' },
    'node_modules/@a/b': { version: '1.2.3', integrity, license: 'MIT' },
    'node_modules/@a/b/node_modules/c': { version: '2.0.0', integrity, license: '(MIT OR CC0-1.0)' },
    'node_modules/c': { version: '1.0.0', integrity },
    'node_modules/in-pages': { version: '4.0.0', integrity, license: 'SEE LICENSE IN LICENSE' },
    'node_modules/of-another-image': { version: '9.0.0', integrity },
  };
  write('package-lock.json', { version: '0.9.0', packages });
  for (const path of ['@a/b', '@a/b/node_modules/c']) write(join('packed', path, 'package.json'), {});
  write('packed/c/package.json', { licenses: [{ type: 'MIT', url: 'https://c.example' }, { type: 'ISC' }] });
  write('pages.json', ['node_modules/in-pages']);
  const { metadata, components } = bill(folder, 'edge', 'packed', 'pages.json');
  expect(metadata.component).toMatchObject({ name: 'tollgate-edge', version: '0.9.0' });
  expect(components.map(({ purl, licenses }) => [purl, licenses])).toEqual([
    ['pkg:npm/%40a/b@1.2.3', [{ license: { id: 'MIT' } }]],
    ['pkg:npm/c@2.0.0', [{ expression: '(MIT OR CC0-1.0)' }]],
    ['pkg:npm/c@1.0.0', [{ expression: 'MIT OR ISC' }]],
    ['pkg:npm/in-pages@4.0.0', [{ license: { name: 'SEE LICENSE IN LICENSE' } }]],
  ]);
  expect(components[0]?.hashes).toEqual([{ alg: 'SHA-512', content: '07'.repeat(64) }]);
  expect(new Set(components.map((one) => one['bom-ref'])).size).toBe(components.length);
});

it('knows the licence and the digest of every package of this installation', () => {
  const { components } = bill(workspaceRoot, 'all', 'node_modules');
  expect(components.length).toBeGreaterThan(200);
  expect(components.filter(({ hashes }) => !hashes)).toEqual([]);
  // Their licences (MIT both) stand in a file of theirs alone.
  const unnamed = components.filter(({ licenses }) => licenses.length === 0).map(({ name }) => name);
  expect(unnamed).toEqual(['pause', 'seq-queue']);
});

it('is made for every image that is built, and lies in it', () => {
  const dockerfile = readFileSync(join(workspaceRoot, 'Dockerfile'), 'utf8');
  const images = [...dockerfile.matchAll(/^FROM runtime AS (\w+)$/gm)].map(([, name]) => name ?? '');
  expect(images).toHaveLength(8);
  for (const name of images)
    expect(dockerfile).toContain(`COPY --from=packages-of-each /packages/${name}.cdx.json sbom.cdx.json`);
});
