import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { aProvider, someCredentials } from '../testing/fixtures';
import type { ProviderDefinition } from '@tollgate/contracts/catalog';
import type { Credential } from './credential';
import { sealProviderKey } from '@tollgate/sealing';
import { EnvironmentSecrets } from './environment-secrets';
import { KeyRing } from './key-ring';
import { ProviderCredentials, sameCredentials, type CredentialSet } from './provider-credentials';

const acme = aProvider({ id: 'acme', apiKeyEnv: ['ACME_API_KEY', 'ACME_TOKEN'] });
const beta = aProvider({ id: 'beta', apiKeyEnv: ['BETA_API_KEY'] });
const local = aProvider({ id: 'local', apiKeyEnv: [] });
const all = [acme, beta, local];

function read(provider: ProviderDefinition, environment: NodeJS.ProcessEnv): CredentialSet {
  return new ProviderCredentials('off', false, new EnvironmentSecrets(environment)).read([provider]);
}

function credentialOf(provider: ProviderDefinition, environment: NodeJS.ProcessEnv): Credential | undefined {
  return read(provider, environment).access.get(provider.id)?.credential;
}

describe('provider credentials', () => {
  it('take the first variable that is set, and leave out providers without one', () => {
    expect(credentialOf(acme, { ACME_TOKEN: 'second' })).toEqual({ kind: 'key', key: 'second' });
    expect(credentialOf(acme, { ACME_API_KEY: 'first', ACME_TOKEN: 'second' })).toEqual({ kind: 'key', key: 'first' });
    expect(credentialOf(acme, { ACME_API_KEY: ' ' })).toBeUndefined();
    expect(credentialOf(local, {})).toEqual({ kind: 'none' });
  });

  it.each(['one, two,three', 'one two\nthree\n', ' one ,two, three,,two '])('are several keys in %j', (value) => {
    expect(credentialOf(acme, { ACME_API_KEY: value })).toEqual({ kind: 'key', key: 'one', more: ['two', 'three'] });
  });

  it('read a key anew from the file that a variable names', () => {
    const folder = mkdtempSync(join(tmpdir(), 'tollgate-credentials-'));
    const file = join(folder, 'key');
    const credentials = new ProviderCredentials('off', false, new EnvironmentSecrets({ ACME_API_KEY_FILE: file }));
    expect(credentials.read(all).access.has('acme')).toBe(false);
    writeFileSync(file, 'from-file\n');
    expect(credentials.read(all).access.get('acme')?.credential).toEqual({ kind: 'key', key: 'from-file' });
    rmSync(folder, { recursive: true });
  });

  it.each<['auto' | 'on' | 'off', boolean, NodeJS.ProcessEnv, boolean]>([
    ['auto', true, {}, true],
    ['auto', true, { BETA_API_KEY: 'x' }, false],
    ['auto', false, {}, false],
    ['on', true, { BETA_API_KEY: 'x' }, true],
    ['off', true, {}, false],
  ])('in mode %s with a sandbox (%s) and keys %j: simulated %s', (mode, known, environment, simulated) => {
    expect(new ProviderCredentials(mode, known, new EnvironmentSecrets(environment)).read(all).sandbox).toBe(simulated);
  });

  it('tell apart which providers without a credential are asked with keys of accounts alone', () => {
    const region = { region: { env: ['REGION'], default: 'eu' } };
    const far = aProvider({
      id: 'far',
      apiKeyEnv: ['FAR_KEY'],
      baseUrl: 'https://{region}.far.test',
      placeholders: region,
    });
    const inside = aProvider({ id: 'inside', apiKeyEnv: [], sealedKeys: [], isLive: true, baseUrl: 'http://10.0.0.7' });
    const google = aProvider({ id: 'google', apiKeyEnv: ['GOOGLE_KEY'], authentication: 'google' });
    const secrets = new EnvironmentSecrets({ BETA_API_KEY: 'x' });
    const set = new ProviderCredentials('off', false, secrets).read([...all, far, inside, google]);
    expect([...set.access.keys()]).toEqual(['beta', 'local']);
    expect([...set.ownKeysOnly]).toEqual([
      ['acme', { simulated: false, credential: { kind: 'none' }, baseUrl: acme.baseUrl }],
      ['far', { simulated: false, credential: { kind: 'none' }, baseUrl: 'https://eu.far.test' }],
    ]);
    const simulated = new ProviderCredentials('on', true, secrets).read([acme, far]);
    expect(simulated.ownKeysOnly.size).toBe(0);
    const misled = new ProviderCredentials('off', false, new EnvironmentSecrets({ REGION: 'e_u' })).read([acme, far]);
    expect([[...misled.ownKeysOnly.keys()], misled.problems]).toEqual([
      ['acme'],
      [expect.stringContaining('REGION must be a name of letters')],
    ]);
  });

  it('hand out no real key in sandbox mode, and reach every provider', () => {
    const { access } = new ProviderCredentials('on', true, new EnvironmentSecrets({ BETA_API_KEY: 'secret' })).read(
      all,
    );
    expect([...access].map(([id, { credential }]) => [id, credential.kind])).toEqual([
      ['acme', 'none'],
      ['beta', 'none'],
      ['local', 'none'],
    ]);
  });

  it('leave a provider that the operator added as it is, beside the sandbox', () => {
    const house = aProvider({ id: 'house', apiKeyEnv: [], operatorDefined: true });
    const keyed = aProvider({ id: 'keyed', apiKeyEnv: ['KEYED_API_KEY'], operatorDefined: true });
    const { sandbox, access } = new ProviderCredentials('auto', true, new EnvironmentSecrets({})).read([
      acme,
      house,
      keyed,
    ]);
    expect(sandbox).toBe(true);
    expect([...access].map(([id, { simulated }]) => [id, simulated])).toEqual([
      ['acme', true],
      ['house', false],
    ]);
    const forced = new ProviderCredentials('on', true, new EnvironmentSecrets({ KEYED_API_KEY: 'secret' })).read([
      acme,
      keyed,
    ]);
    expect(forced.access.get('keyed')).toMatchObject({ simulated: false, credential: { kind: 'key', key: 'secret' } });
  });

  it('tell a change of provider, key or mode', () => {
    const set = someCredentials(all, { acme: 'one' });
    expect(sameCredentials(set, someCredentials(all, { acme: 'one' }))).toBe(true);
    expect(sameCredentials(set, someCredentials(all, { acme: 'two' }))).toBe(false);
    expect(sameCredentials(set, someCredentials(all, { acme: 'one' }, true))).toBe(false);
    expect(sameCredentials(set, someCredentials(all, {}))).toBe(false);
    const moved = someCredentials([aProvider({ baseUrl: 'http://127.0.0.1:9/v2' })], { acme: 'one' });
    expect(sameCredentials(set, moved)).toBe(false);
  });
});

describe('credentials of AWS', () => {
  const aws = aProvider({ id: 'aws', authentication: 'aws', apiKeyEnv: ['AWS_BEARER_TOKEN_BEDROCK'] });
  const keys = { AWS_ACCESS_KEY_ID: 'AKID', AWS_SECRET_ACCESS_KEY: 'secret' };

  it('are an access key, with a session token where there is one', () => {
    const lasting = { kind: 'aws', accessKeyId: 'AKID', secretAccessKey: 'secret', sessionToken: null };
    expect(credentialOf(aws, keys)).toEqual(lasting);
    expect(credentialOf(aws, { ...keys, AWS_SESSION_TOKEN: 'session' })).toEqual({
      ...lasting,
      sessionToken: 'session',
    });
  });

  it('are a key of Bedrock before all others', () => {
    expect(credentialOf(aws, { ...keys, AWS_BEARER_TOKEN_BEDROCK: 'bedrock' })).toEqual({
      kind: 'key',
      key: 'bedrock',
    });
  });

  it('are none with half an access key', () => {
    expect(credentialOf(aws, { AWS_ACCESS_KEY_ID: 'AKID' })).toBeUndefined();
  });

  it('end the sandbox as any other key does', () => {
    expect(new ProviderCredentials('auto', true, new EnvironmentSecrets(keys)).read([aws, local]).sandbox).toBe(false);
  });
});

describe('credentials of Google', () => {
  const vertex = aProvider({ id: 'vertex', authentication: 'google', apiKeyEnv: ['GOOGLE_APPLICATION_CREDENTIALS'] });

  it('are the JSON itself, or a file with it, which must be there', () => {
    const folder = mkdtempSync(join(tmpdir(), 'tollgate-google-'));
    const file = join(folder, 'account.json');
    expect(credentialOf(vertex, { GOOGLE_APPLICATION_CREDENTIALS: file })).toBeUndefined();
    writeFileSync(file, '{"type":"service_account"}');
    const expected = { kind: 'google', json: '{"type":"service_account"}' };
    expect(credentialOf(vertex, { GOOGLE_APPLICATION_CREDENTIALS: file })).toEqual(expected);
    expect(credentialOf(vertex, { GOOGLE_APPLICATION_CREDENTIALS: '{"type":"service_account"}' })).toEqual(expected);
    rmSync(folder, { recursive: true });
  });
});

describe('a base URL with placeholders', () => {
  const regional = aProvider({
    baseUrl: 'https://{resource}.example.com/{region}/v1',
    placeholders: { resource: { env: ['RESOURCE', 'NAME'] }, region: { env: ['REGION'], default: 'eu-1' } },
  });
  const urlWith = (environment: NodeJS.ProcessEnv): string | undefined =>
    read(regional, { ACME_API_KEY: 'key', ...environment }).access.get('acme')?.baseUrl;

  it('is filled from the first variable that is set, else by the default', () => {
    expect(urlWith({ NAME: 'house' })).toBe('https://house.example.com/eu-1/v1');
    expect(urlWith({ RESOURCE: 'first', NAME: 'second', REGION: 'us-2' })).toBe('https://first.example.com/us-2/v1');
  });

  it('makes a provider unusable, and says what is missing, without its variable', () => {
    const { access, problems } = read(regional, { ACME_API_KEY: 'key' });
    expect(access.size).toBe(0);
    expect(problems).toEqual(['Acme needs RESOURCE or NAME beside its credential']);
  });

  it.each(['evil.test/', 'a.b', 'a@b', 'a/../b', 'a#', 'ä'])(
    'takes no value that could lead elsewhere: %s',
    (value) => {
      const { access, problems } = read(regional, { ACME_API_KEY: 'key', RESOURCE: value });
      expect(access.size).toBe(0);
      expect(problems).toHaveLength(1);
      expect(problems[0]).not.toContain(value);
    },
  );
});

describe('keys that were given without the environment', () => {
  const secret = 'a key-encryption key of 32 characters';
  const ring = new KeyRing([secret]);
  const there = 'https://acme.example/v1';
  const sealedBy = (by: KeyRing, key: string, about: { id?: string; name?: string; baseUrl?: string } = {}) => {
    const { id = 'acme', name = 'main', baseUrl = there } = about;
    const [sealing] = by.opens;
    if (!sealing) throw new Error('the ring has a key');
    return { name: 'main', sealed: sealProviderKey(id, name, key, { sealing, baseUrl }).sealed };
  };
  const live = (sealedKeys: ProviderDefinition['sealedKeys'], overrides: Partial<ProviderDefinition> = {}) =>
    aProvider({ apiKeyEnv: [], operatorDefined: true, isLive: true, baseUrl: there, sealedKeys, ...overrides });
  const readWith = (
    provider: ProviderDefinition,
    by = ring,
    environment: NodeJS.ProcessEnv = {},
    hosts: string[] = [],
  ) => new ProviderCredentials('off', false, new EnvironmentSecrets(environment), by, hosts).read([provider]);

  it('are opened, in their order, and asked with on the internet alone', () => {
    const keys = [
      sealedBy(ring, 'sk-first-of-acme'),
      { ...sealedBy(ring, 'sk-second', { name: 'spare' }), name: 'spare' },
    ];
    const { access, faults, problems } = readWith(live(keys));
    expect(access.get('acme')).toEqual({
      ...{ simulated: false, baseUrl: there, internetOnly: true },
      credential: { kind: 'key', key: 'sk-first-of-acme', more: ['sk-second'] },
    });
    expect([faults.size, problems]).toEqual([0, []]);
  });

  it.each([
    ['provider', { id: 'other' }],
    ['name', { name: 'spare' }],
    ['address', { baseUrl: 'https://evil.example/v1' }],
  ])('open for no other %s', (_, about) => {
    const { access, faults } = readWith(live([sealedBy(ring, 'sk-live', about)]));
    expect(access.size).toBe(0);
    expect(faults.get('acme')).toContain('Its key (main) cannot be opened');
  });

  it.each(['', 'two words', 'a line\nmore', ' '])('are none where they open to what no header can hold: %j', (key) => {
    expect(readWith(live([sealedBy(ring, key)])).faults.get('acme')).toContain('cannot be opened');
  });

  it('set a provider aside, and say why, where the key-encryption key is missing or another', () => {
    const sealed = [sealedBy(ring, 'sk-live')];
    expect(readWith(live(sealed), new KeyRing([])).faults.get('acme')).toContain('has no TOLLGATE_KEY_ENCRYPTION_KEY');
    const another = new KeyRing([`${secret}, another`]);
    expect(readWith(live(sealed), another).faults.get('acme')).toContain('TOLLGATE_KEY_ENCRYPTION_KEY_PREVIOUS');
    expect(readWith(live(sealed), new KeyRing([`${secret}, another`, secret])).faults.size).toBe(0);
  });

  it('leave a provider without an access whose keys are not there, and ask one that needs none without any', () => {
    const { access, faults } = readWith(live([]));
    expect([access.size, faults.size]).toEqual([0, 0]);
    expect(readWith(live(null)).access.get('acme')?.credential).toEqual({ kind: 'none' });
  });

  it('stand behind those of the environment at a provider of the release, once each', () => {
    const release = aProvider({ baseUrl: there, sealedKeys: [sealedBy(ring, 'sk-given'), sealedBy(ring, 'sk-env')] });
    expect(readWith(release, ring, { ACME_API_KEY: 'sk-env' }).access.get('acme')?.credential).toEqual({
      ...{ kind: 'key', key: 'sk-env', more: ['sk-given'] },
    });
    const lacking = readWith(release, new KeyRing([]), { ACME_API_KEY: 'sk-env' });
    expect(lacking.access.get('acme')?.credential).toEqual({ kind: 'key', key: 'sk-env' });
    expect(lacking.problems).toEqual([expect.stringContaining('Acme goes on without a key. Its key (main, main)')]);
  });

  it('are told where a provider of the release has neither one of them nor one of the environment', () => {
    const release = aProvider({ sealedKeys: [] });
    expect(readWith(release).faults.get('acme')).toContain('Its key is not there');
    expect(readWith(release, ring, { ACME_API_KEY: 'sk-env' }).faults.size).toBe(0);
  });

  it('leave what signs by the environment in use at a provider of the release', () => {
    const environment = { AWS_ACCESS_KEY_ID: 'a', AWS_SECRET_ACCESS_KEY: 'b' };
    const release = aProvider({ authentication: 'aws', sealedKeys: [] });
    expect(readWith(release, ring, environment).access.get('acme')?.credential).toMatchObject({ kind: 'aws' });
  });

  it('keep the environment, and what signs by it, from a provider that is set without it', () => {
    const environment = { ACME_API_KEY: 'of the environment', AWS_ACCESS_KEY_ID: 'a', AWS_SECRET_ACCESS_KEY: 'b' };
    const evil = live(null, { apiKeyEnv: ['ACME_API_KEY'], authentication: 'aws' });
    expect(readWith(evil, ring, environment).access.get('acme')?.credential).toEqual({ kind: 'none' });
  });

  it.each(['http://acme.example/v1', 'https://10.0.0.7/v1', 'https://169.254.169.254/latest', 'https://[::1]/v1'])(
    'go to no such address, unless the environment trusts its host: %s',
    (baseUrl) => {
      const provider = live(null, { baseUrl });
      expect(readWith(provider).faults.get('acme')).toMatch(/^Its address .*PROVIDER_PRIVATE_HOSTS/);
      const trusted = readWith(provider, ring, {}, [new URL(baseUrl).hostname]);
      expect(trusted.access.get('acme')).toEqual({ simulated: false, baseUrl, credential: { kind: 'none' } });
    },
  );

  it('end the sandbox, also where they cannot be opened or are gone: nobody wants invented answers in their place', () => {
    const sandboxOf = (provider: ProviderDefinition, by = ring) =>
      new ProviderCredentials('auto', true, new EnvironmentSecrets({}), by).read([provider]).sandbox;
    const release = (sealedKeys: ProviderDefinition['sealedKeys']) => aProvider({ baseUrl: there, sealedKeys });
    const given = release([sealedBy(ring, 'sk-given')]);
    expect([sandboxOf(given), sandboxOf(given, new KeyRing([]))]).toEqual([false, false]);
    expect([sandboxOf(release([])), sandboxOf(live([])), sandboxOf(release(null))]).toEqual([false, false, true]);
  });

  it('are sealed anew with the newest, without anybody seeing one', () => {
    const newest = `${secret}, the newest`;
    const both = new KeyRing([newest, secret]);
    const { sealed } = sealedBy(ring, 'sk-live');
    const again = both.reseal({ id: 'acme', baseUrl: there }, 'main', sealed);
    expect(new KeyRing([newest]).open({ id: 'acme', baseUrl: there }, 'main', again ?? '')).toBe('sk-live');
    expect(new KeyRing([newest]).reseal({ id: 'acme', baseUrl: there }, 'main', sealed)).toBeNull();
  });
});
