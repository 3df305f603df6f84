import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { EdgeRig } from '../testing/edge-rig';

const folder = mkdtempSync(join(tmpdir(), 'tollgate-pages-'));
const script = 'document.title;\n';
let rig: EdgeRig;
beforeAll(async () => {
  rig = await EdgeRig.start({ EDGE_DASHBOARD: folder });
});
afterAll(async () => {
  await rig.stop();
  rmSync(folder, { recursive: true });
});

const browse = (path: string) =>
  fetch(`${rig.url}${path}`, { headers: { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' }, redirect: 'manual' });

/** All of the answer is read: the connection of one that is not stays open behind the tests. */
async function headersOf(path: string): Promise<Headers> {
  const response = await browse(path);
  await response.arrayBuffer();
  return response.headers;
}

describe('the pages', () => {
  it('say in plain words that they were not built', async () => {
    const response = await browse('/');
    expect(response.status).toBe(404);
    expect(await response.text()).toContain('npx nx build dashboard');
  });

  describe('once built', () => {
    beforeAll(() => {
      mkdirSync(join(folder, 'assets'));
      writeFileSync(join(folder, 'index.html'), `<!doctype html><title>Tollgate</title><script>${script}</script>`);
      writeFileSync(join(folder, 'secret.json'), '{}');
      writeFileSync(join(folder, 'assets', 'app-a1b2c3.js'), 'export {};');
      writeFileSync(join(folder, 'assets', 'app-a1b2c3.js.gz'), gzipSync('export {};'));
    });

    it.each(['/', '/sign-in', '/admin/accounts/0190?tab=keys', '/v1x'])('are one page at %s', async (path) => {
      const response = await browse(path);
      expect(response.status).toBe(200);
      expect(await response.text()).toContain('<title>Tollgate</title>');
      expect(response.headers.get('cache-control')).toBe('no-cache');
      expect(response.headers.get('x-content-type-options')).toBe('nosniff');
      const policy = response.headers.get('content-security-policy') ?? '';
      expect(policy).toMatch(/(^|; )default-src 'self';.*frame-ancestors 'none'/);
      // What `openssl dgst -sha256 -binary | base64` makes of the script.
      expect(policy).toContain("; script-src 'self' 'sha256-ZdmUAOo1slhpa9la4F9eQIT07SoD9XBe2uTONPHZh4w=';");
    });

    it('answer HEAD as GET, without a body, as who watches a site asks', async () => {
      const shown = await headersOf('/');
      const told = await fetch(`${rig.url}/`, { method: 'HEAD' });
      expect([told.status, await told.text()]).toEqual([200, '']);
      for (const name of ['content-type', 'content-length', 'content-security-policy'])
        expect(told.headers.get(name)).toBe(shown.get(name));
    });

    it('have assets that are kept for a year', async () => {
      const response = await browse('/assets/app-a1b2c3.js');
      expect(response.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
      expect(response.headers.get('content-type')).toMatch(/javascript/);
      expect(response.headers.get('content-encoding')).toBe('gzip');
      expect(await response.text()).toBe('export {};');
    });

    it.each(['/assets/none.js', '/assets/../index.html', '/assets/%2e%2e/secret.json', '/secret.json'])(
      'have nothing at %s',
      async (path) => {
        const text = await (await browse(path)).text();
        expect(text).not.toContain('{}');
      },
    );

    it.each(['/v1/none', '/v1', '/api/none', '/assets/none.js'])('are not at %s', async (path) => {
      const response = await browse(path);
      expect(response.status).toBe(404);
      expect(response.headers.get('content-type')).toMatch(/^application\/json/);
    });

    it('are not what a program gets for an address that does not exist', async () => {
      const response = await fetch(`${rig.url}/v2/models`);
      expect([response.status, await response.json()]).toMatchObject([404, { error: { type: 'not_found_error' } }]);
      expect((await fetch(`${rig.url}/keys`, { method: 'POST' })).status).toBe(404);
    });

    it('are the documentation, too, and leave the contract and the probes as they were', async () => {
      expect((await headersOf('/docs/errors')).get('content-security-policy')).toContain("default-src 'self'");
      expect((await headersOf('/openapi.json')).get('content-type')).toMatch(/json/);
      expect(await (await browse('/livez')).json()).toEqual({ status: 'ok' });
    });
  });
});
