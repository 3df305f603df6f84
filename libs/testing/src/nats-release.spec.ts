import { createHash } from 'node:crypto';
import { access, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { howToProvide } from './nats-binary';
import { natsReleaseFor, takeRelease } from './nats-release';
import { runProgram } from './programs';

describe('the release of nats-server', () => {
  const name = 'nats-server-v0-test';
  const server = createServer();
  let folder: string;
  let archive: Buffer;
  let origin: string;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'nats-release-'));
    await mkdir(join(folder, 'made', name), { recursive: true });
    await writeFile(join(folder, 'made', name, 'nats-server'), '#!/bin/sh\necho nats-server: v2.14.5\n');
    await writeFile(join(folder, 'made', name, 'README.md'), 'of no use here');
    await runProgram('tar', ['-czf', join(folder, 'made.tar.gz'), '-C', join(folder, 'made'), name]);
    archive = await readFile(join(folder, 'made.tar.gz'));
    server.on('request', (request, response) => {
      response.writeHead(request.url === '/archive' ? 200 : 404).end(archive);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterAll(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
    await rm(folder, { recursive: true, force: true });
  });

  const take = async (path: string, sha256: string) => {
    const target = join(await mkdtemp(join(folder, 'taken-')), 'nats-server');
    return { target, taken: takeRelease({ name, url: `${origin}${path}`, sha256 }, folder, target) };
  };
  const sum = () => createHash('sha256').update(archive).digest('hex');

  it('is a program that runs, where it is what was published', async () => {
    const { target, taken } = await take('/archive', sum());
    await taken;
    expect(await runProgram(target, [])).toBe('nats-server: v2.14.5\n');
  });

  it('is nothing, where it is something else', async () => {
    const { target, taken } = await take('/archive', 'f'.repeat(64));
    await expect(taken).rejects.toThrow(`/archive is not what was published: its SHA-256 is ${sum()}, not fff`);
    await expect(access(target)).rejects.toThrow('ENOENT');
  });

  it('is nothing, where nobody has it', async () => {
    const { taken } = await take('/elsewhere', sum());
    await expect(taken).rejects.toThrow('/elsewhere was answered with 404.');
  });

  it('is nothing, where its address cannot be reached, and says why', async () => {
    // A port that no client may use.
    const release = { name, url: 'http://127.0.0.1:1/archive', sha256: sum() };
    await expect(takeRelease(release, folder, join(folder, 'none'))).rejects.toThrow(
      'http://127.0.0.1:1/archive cannot be reached (bad port).',
    );
  });

  it.each([
    ['darwin', 'arm64', 'darwin-arm64'],
    ['darwin', 'x64', 'darwin-amd64'],
    ['linux', 'x64', 'linux-amd64'],
    ['linux', 'arm64', 'linux-arm64'],
  ])('is known for %s %s', (platform, architecture, system) => {
    const { url, sha256 } = natsReleaseFor(platform, architecture) ?? {};
    expect(url).toMatch(new RegExp(`^https://github\\.com/nats-io/.*-${system}\\.tar\\.gz$`));
    expect(sha256).toMatch(/^[0-9a-f]{64}$/);
  });

  it('is known for no machine that it was not looked up for', () => {
    expect(natsReleaseFor('win32', 'x64')).toBeNull();
    expect(natsReleaseFor('linux', 'riscv64')).toBeNull();
  });

  it('can be had by one command, with and without Homebrew, where it could not be fetched', () => {
    const release = natsReleaseFor('darwin', 'arm64');
    const ofPackage = new Error('No package.', { cause: [new Error('spawn apt-get ENOENT\nand more')] });
    const text = howToProvide(release, false, [ofPackage, new Error('There is no network.')]);
    expect(text).toContain('could not be fetched:\n  No package. (spawn apt-get ENOENT)\n  There is no network.\n');
    expect(text).toMatch(/^ {2}brew install nats-server$/m);
    expect(text).toContain(`curl -fL -o nats.tar.gz ${release?.url}`);
    expect(text).toContain(`echo '${release?.sha256}  nats.tar.gz' | shasum -a 256 -c && tar `);
    expect(text).toContain('NATS_SERVER_BIN');
  });

  it.each([true, false])('can be had by apt where that is: %s', (hasApt) => {
    const text = howToProvide(natsReleaseFor('linux', 'x64'), hasApt, []);
    expect(text.includes('apt install nats-server')).toBe(hasApt);
    expect(text).toContain('sha256sum -c');
  });
});
