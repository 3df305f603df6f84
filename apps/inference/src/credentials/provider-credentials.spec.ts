import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { aProvider, someCredentials } from '../testing/fixtures';
import type { ProviderDefinition } from '@tollgate/contracts';
import type { Credential } from './credential';
import { EnvironmentSecrets } from './environment-secrets';
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
