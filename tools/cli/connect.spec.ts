import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect, findNats } from './connect';

let workspace: string;
beforeEach(() => {
  workspace = mkdtempSync(join(tmpdir(), 'tollgate-cli-'));
});
afterEach(() => rmSync(workspace, { recursive: true }));

function writeDevFile(content: string): void {
  mkdirSync(join(workspace, '.tollgate'));
  writeFileSync(join(workspace, '.tollgate', 'dev.json'), content);
}

describe('the address of the gateway', () => {
  it('is NATS_URL before anything else', () => {
    writeDevFile('{"natsUrl":"nats://from-file:1"}');
    expect(findNats({ NATS_URL: 'nats://from-environment:1' }, workspace)).toEqual({
      url: 'nats://from-environment:1',
    });
  });

  it('is what npm start wrote, also from a folder below the workspace', () => {
    writeDevFile('{"natsUrl":"nats://127.0.0.1:4222","apiKey":"ignored"}');
    mkdirSync(join(workspace, 'apps', 'edge'), { recursive: true });
    expect(findNats({ NATS_URL: '' }, join(workspace, 'apps', 'edge'))).toEqual({
      url: 'nats://127.0.0.1:4222',
    });
  });

  it('is what npm start wrote where TOLLGATE_DATA says, and nothing else', () => {
    writeDevFile('{"natsUrl":"nats://of-the-checkout:1"}');
    mkdirSync(join(workspace, 'other'));
    const path = join(workspace, 'other', 'dev.json');
    writeFileSync(path, '{"natsUrl":"nats://other:1"}');
    for (const TOLLGATE_DATA of ['other', join(workspace, 'other')])
      expect(findNats({ TOLLGATE_DATA }, workspace)).toEqual({ url: 'nats://other:1' });
    for (const TOLLGATE_DATA of ['nowhere', join(workspace, 'nowhere')])
      expect(() => findNats({ TOLLGATE_DATA }, workspace)).toThrow(join(TOLLGATE_DATA, 'dev.json'));
  });

  it('is asked for in plain words when nothing tells it', () => {
    expect(() => findNats({}, workspace)).toThrow(/NATS_URL is not set.*\.tollgate\/dev\.json.*\n.*npm start/s);
  });

  it.each(['', '{', '{}', '{"natsUrl":7}'])('is not guessed from a broken file: %j', (content) => {
    writeDevFile(content);
    expect(() => findNats({}, workspace)).toThrow('does not hold a natsUrl');
  });
});

describe('a server that does not answer', () => {
  it('is named without its credentials', async () => {
    // Port 9 of loopback (discard) refuses at once.
    const failure = connect({ url: 'nats://user:canary-password@127.0.0.1:9' });
    await expect(failure).rejects.toThrow('NATS does not answer at nats://127.0.0.1:9');
    await expect(failure).rejects.not.toThrow('canary');
  });
});
