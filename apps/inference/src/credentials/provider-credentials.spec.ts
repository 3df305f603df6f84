import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { aProvider } from '../testing/fixtures';
import { ProviderCredentials, sameCredentials } from './provider-credentials';

const acme = aProvider({ id: 'acme', apiKeyEnv: ['ACME_API_KEY', 'ACME_TOKEN'] });
const beta = aProvider({ id: 'beta', apiKeyEnv: ['BETA_API_KEY'] });
const local = aProvider({ id: 'local', apiKeyEnv: [] });
const all = [acme, beta, local];

describe('provider credentials', () => {
  it('take the first variable that is set, and leave out providers without one', () => {
    const read = (environment: NodeJS.ProcessEnv) => new ProviderCredentials('off', false, environment).read(all).keys;
    expect(read({ ACME_TOKEN: 'second' }).get('acme')).toBe('second');
    expect(read({ ACME_API_KEY: 'first', ACME_TOKEN: 'second' }).get('acme')).toBe('first');
    expect(read({ ACME_API_KEY: ' ' }).has('acme')).toBe(false);
    expect(read({}).get('local')).toBeNull();
  });

  it('read a key anew from the file that a variable names', () => {
    const folder = mkdtempSync(join(tmpdir(), 'tollgate-credentials-'));
    const file = join(folder, 'key');
    const credentials = new ProviderCredentials('off', false, { ACME_API_KEY_FILE: file });
    expect(credentials.read(all).keys.has('acme')).toBe(false);
    writeFileSync(file, 'from-file\n');
    expect(credentials.read(all).keys.get('acme')).toBe('from-file');
    rmSync(folder, { recursive: true });
  });

  it.each<['auto' | 'on' | 'off', boolean, NodeJS.ProcessEnv, boolean]>([
    ['auto', true, {}, true],
    ['auto', true, { BETA_API_KEY: 'x' }, false],
    ['auto', false, {}, false],
    ['on', true, { BETA_API_KEY: 'x' }, true],
    ['off', true, {}, false],
  ])('in mode %s with a sandbox (%s) and keys %j: simulated %s', (mode, known, environment, simulated) => {
    expect(new ProviderCredentials(mode, known, environment).read(all).sandbox).toBe(simulated);
  });

  it('hand out no real key in sandbox mode, and reach every provider', () => {
    const { keys } = new ProviderCredentials('on', true, { BETA_API_KEY: 'secret' }).read(all);
    expect([...keys]).toEqual([
      ['acme', null],
      ['beta', null],
      ['local', null],
    ]);
  });

  it('tell a change of provider, key or mode', () => {
    const set = { sandbox: false, keys: new Map([['acme', 'one']]) };
    expect(sameCredentials(set, { sandbox: false, keys: new Map([['acme', 'one']]) })).toBe(true);
    expect(sameCredentials(set, { sandbox: false, keys: new Map([['acme', 'two']]) })).toBe(false);
    expect(sameCredentials(set, { sandbox: true, keys: new Map([['acme', 'one']]) })).toBe(false);
    expect(sameCredentials(set, { sandbox: false, keys: new Map() })).toBe(false);
  });
});
