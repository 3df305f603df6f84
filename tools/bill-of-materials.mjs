// Prints what an image is made of beside our own code, as CycloneDX 1.6
// (https://cyclonedx.org/docs/1.6/json/): for scanners of vulnerabilities and licences.
// Usage: node tools/bill-of-materials.mjs <name of the image> <folder of its packages> [file that lists
// packages whose code is in the pages it serves]
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const [name, folder, bundled] = process.argv.slice(2);
if (!name || !folder) throw new Error('Usage: node tools/bill-of-materials.mjs <name> <packages folder> [list]');
const read = (path) => JSON.parse(readFileSync(path, 'utf8'));
const { packages: installed, version, license } = read('package-lock.json');
const inPages = new Set(bundled ? read(bundled) : []);

/**
 * https://github.com/package-url/purl-spec/blob/main/types-doc/npm-definition.md: the scope is a namespace,
 * its @ percent-encoded.
 */
const packageUrl = (of, its) => `pkg:npm/${of.replace('@', '%40')}@${its}`;

/**
 * An expression of SPDX where it is one; words of the package's own otherwise
 * (https://spdx.dev/learn/handling-license-info).
 */
function licences(text) {
  if (!text) return [];
  if (/^see licen[cs]e|^unlicensed$/i.test(text)) return [{ license: { name: text } }];
  return / (OR|AND|WITH) /.test(text) ? [{ expression: text }] : [{ license: { id: text } }];
}

/**
 * Some packages name theirs in a form that npm gave up, which the lock file does not keep:
 * https://docs.npmjs.com/cli/configuring-npm/package-json#license
 */
function formerForm(path) {
  const file = join(folder, path.slice('node_modules/'.length), 'package.json');
  const { licenses } = existsSync(file) ? read(file) : {};
  return [licenses ?? []]
    .flat()
    .map(({ type }) => type)
    .join(' OR ');
}

const components = Object.entries(installed)
  .filter(([path]) => path.startsWith('node_modules/'))
  .filter(([path]) => inPages.has(path) || existsSync(join(folder, path.slice('node_modules/'.length), 'package.json')))
  .map(([path, { version: its, license: licence, integrity = '' }]) => {
    const of = path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length);
    const purl = packageUrl(of, its);
    const digest = integrity.startsWith('sha512-') ? Buffer.from(integrity.slice(7), 'base64').toString('hex') : null;
    return {
      type: 'library',
      'bom-ref': `${purl}#${path}`,
      name: of,
      version: its,
      purl,
      ...(digest && { hashes: [{ alg: 'SHA-512', content: digest }] }),
      licenses: licences(licence ?? formerForm(path)),
    };
  });
const application = {
  type: 'application',
  'bom-ref': `tollgate-${name}`,
  name: `tollgate-${name}`,
  version: version ?? read('package.json').version,
  licenses: licences(license ?? installed['']?.license),
};
// No date and no serial number: the same sources make the same bytes.
const bill = {
  bomFormat: 'CycloneDX',
  specVersion: '1.6',
  version: 1,
  metadata: { component: application },
  components,
};
console.log(JSON.stringify(bill, null, 2));
