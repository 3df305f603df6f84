import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  processEnvironment,
  processScript,
  serviceEnvironment,
  serviceNames,
  sharingServices,
  smallNode,
  withLittleMemory,
} from './service-plan';
import type { ServiceName } from './service-plan';
import { workspaceRoot } from './workspace-root';

const addresses = {
  natsUrl: 'nats://127.0.0.1:1',
  natsCa: null,
  databaseUrl: 'postgresql://127.0.0.1:2/postgres',
  sandboxUrl: 'http://127.0.0.1:3',
  pepper: 'p'.repeat(64),
  keyEncryptionKey: 'k'.repeat(64),
  bootstrapSecret: 'b'.repeat(64),
  publicUrl: 'https://tollgate.example',
  journalFolder: '/data/usage-journal',
};
const planOf = (service: ServiceName, process: string = service) => ({
  service,
  name: service,
  process,
  port: 80,
  internalPort: 9000 + serviceNames.indexOf(service),
});
const environmentOf = (service: ServiceName, common: NodeJS.ProcessEnv = {}) =>
  serviceEnvironment(planOf(service), addresses, common);
const servicesThatSee = (variable: string) => serviceNames.filter((service) => environmentOf(service)[variable]);

it('gives each secret and address only to the services that need it', () => {
  expect(servicesThatSee('TOLLGATE_KEY_PEPPER')).toEqual(['accounts', 'edge']);
  expect(servicesThatSee('TOLLGATE_KEY_ENCRYPTION_KEY')).toEqual(['inference']);
  expect(servicesThatSee('TOLLGATE_BOOTSTRAP_SECRET')).toEqual(['accounts']);
  const given = { SMTP_URL: 'smtp://mail', OIDC_CLIENT_SECRET: 'secret' };
  for (const variable of ['SMTP_URL', 'OIDC_CLIENT_SECRET'] as const)
    expect(serviceNames.filter((service) => environmentOf(service, given)[variable])).toEqual(['accounts']);
  const former = { TOLLGATE_KEY_PEPPER_PREVIOUS: 'former', SMTP_URL_FILE: '/run/secrets/mail' };
  expect(serviceNames.filter((service) => environmentOf(service, former).TOLLGATE_KEY_PEPPER_PREVIOUS)).toEqual([
    'accounts',
    'edge',
  ]);
  expect(serviceNames.filter((service) => environmentOf(service, former).SMTP_URL_FILE)).toEqual(['accounts']);
  expect(servicesThatSee('DATABASE_URL')).toEqual(['accounts', 'catalog', 'metering']);
  expect(servicesThatSee('TOLLGATE_SANDBOX_URL')).toEqual(['inference']);
});

it('gives services that share a process what each reads, and its own name in NATS and port to each', () => {
  const plans = sharingServices.map((service) => planOf(service, 'records'));
  const natsUrlOf = ({ name }: { name: string }) => ({ ...addresses, natsUrl: `nats://${name}@127.0.0.1:1` });
  expect(processEnvironment(plans, natsUrlOf, { METERING_STORED_BYTES: '1', EDGE_BODY_LIMIT: '1' })).toEqual({
    ACCOUNTS_NATS_URL: 'nats://accounts@127.0.0.1:1',
    ACCOUNTS_INTERNAL_PORT: '9001',
    CATALOG_NATS_URL: 'nats://catalog@127.0.0.1:1',
    CATALOG_INTERNAL_PORT: '9002',
    METERING_NATS_URL: 'nats://metering@127.0.0.1:1',
    METERING_INTERNAL_PORT: '9003',
    DATABASE_URL: addresses.databaseUrl,
    METERING_STORED_BYTES: '1',
    PORT: '80',
    TOLLGATE_KEY_PEPPER: addresses.pepper,
    TOLLGATE_BOOTSTRAP_SECRET: addresses.bootstrapSecret,
    TOLLGATE_PUBLIC_URL: addresses.publicUrl,
  });
  expect(processScript('/', plans)).toBe('/dist/apps/records/main.js');
  expect(processScript('/', [planOf('accounts')])).toBe('/dist/apps/accounts/main.js');
});

it('has edge give memory of large bodies back, in every layout and in its image', () => {
  const dockerfile = readFileSync(join(workspaceRoot, 'Dockerfile'), 'utf8');
  const value = environmentOf('edge').MALLOC_TRIM_THRESHOLD_;
  expect(value).toBeDefined();
  expect(dockerfile).toMatch(new RegExp(`^FROM runtime AS edge$[^]*?^ENV .* MALLOC_TRIM_THRESHOLD_=${value}$`, 'm'));
});

it('keeps a process small by its environment, unless options of Node say otherwise', () => {
  expect(withLittleMemory('edge', { PORT: '1' })).toEqual({ PORT: '1', ...smallNode('edge') });
  const { NODE_OPTIONS } = withLittleMemory('records', { NODE_OPTIONS: '--max-semi-space-size=64' });
  expect(NODE_OPTIONS).toBe('--max-semi-space-size=2 --max-semi-space-size=64');
});

it('keeps what the launcher was given for itself away from the services', () => {
  const inherited = {
    DATABASE_URL: 'postgresql://elsewhere',
    TOLLGATE_KEY_PEPPER: 'secret',
    TOLLGATE_KEY_PEPPER_FILE: '/run/secrets/pepper',
    NATS_PASSWORD_FILE: '/run/secrets/nats',
    PORT: '1',
    LOG_LEVEL: 'warn',
  };
  expect(environmentOf('inference', { ...inherited, npm_config_cache: '/x', TOLLGATE_DATA: '/data' })).toEqual({
    INTERNAL_PORT: '9004',
    PORT: '80',
    NATS_URL: addresses.natsUrl,
    TOLLGATE_KEY_ENCRYPTION_KEY: addresses.keyEncryptionKey,
    INFERENCE_JOURNAL: addresses.journalFolder,
    TOLLGATE_SANDBOX_URL: addresses.sandboxUrl,
    LOG_LEVEL: 'warn',
  });
});

it('hands the keys of providers to inference alone, and to each service nothing that it does not read', () => {
  const given = {
    OPENAI_API_KEY: 'key',
    ACME_KEY_FILE: '/run/secrets/acme',
    AWS_SECRET_ACCESS_KEY: 'secret',
    EDGE_BODY_LIMIT: '1',
    METERING_RETENTION_MONTHS: '3',
    METERING_STORED_BYTES: '1000',
    SMTP_URL: 'smtp://mail',
    UNRELATED_TOKEN: 'token',
  };
  const system = { PATH: '/bin', TZ: 'UTC', NODE_EXTRA_CA_CERTS: '/ca.pem', https_proxy: 'http://proxy' };
  const handed = (service: ServiceName) =>
    Object.keys(environmentOf(service, { ...given, ...system })).filter((name) => name in given);
  for (const service of serviceNames) expect(environmentOf(service, system)).toMatchObject(system);
  expect(handed('inference')).toEqual(['OPENAI_API_KEY', 'ACME_KEY_FILE', 'AWS_SECRET_ACCESS_KEY', 'UNRELATED_TOKEN']);
  expect(handed('edge')).toEqual(['EDGE_BODY_LIMIT']);
  expect(handed('metering')).toEqual(['METERING_RETENTION_MONTHS', 'METERING_STORED_BYTES']);
  expect(handed('accounts')).toEqual(['SMTP_URL']);
  expect([handed('catalog'), handed('sandbox')]).toEqual([[], []]);
});
