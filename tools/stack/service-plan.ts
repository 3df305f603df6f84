import { ownName, serviceVariables } from '@tollgate/configuration';
import { join } from 'node:path';
import { launcherVariables } from './launcher-variables';

/** The services in the order in which they are started and shown. */
export const serviceNames = ['sandbox', 'accounts', 'catalog', 'metering', 'inference', 'edge'] as const;
export type ServiceName = (typeof serviceNames)[number];

/** The program in which all services that keep records are one process, and its name. */
export const sharedProgram = 'records';
/** What it is made of. */
export const sharingServices: readonly ServiceName[] = ['accounts', 'catalog', 'metering'];

/** What the services of one stack share. Addresses are those of servers that run already. */
export interface StackAddresses {
  /** With the name and password of the service that is started. */
  natsUrl: string;
  /** Certificates (PEM) that sign the NATS server's; null: it is reached without TLS. */
  natsCa: string | null;
  databaseUrl: string;
  /** Null: the simulated providers do not run. */
  sandboxUrl: string | null;
  pepper: string;
  /** What inference opens keys of providers with that were given without the environment. */
  keyEncryptionKey: string;
  /** Whoever holds it may make the first administrator. */
  bootstrapSecret: string;
  /** Where people find the dashboard, without a slash at its end. */
  publicUrl: string;
  /** The folder in which inference keeps usage that is not stored yet. */
  journalFolder: string;
}

/** One instance of a service. `port` is the public one, null where the service has none. */
export interface InstancePlan {
  service: ServiceName;
  /** `edge`, `edge-2`, `edge-3`, … */
  name: string;
  /** In which process it runs: one of its own that is called as it is, or `records`. */
  process: string;
  port: number | null;
  internalPort: number;
}

/** What the system, Node and its libraries read, in every process. */
const ofTheSystem =
  /^(PATH|HOME|USER|TMPDIR|TZ|LANG|LC_\w+|NODE_\w+|UV_THREADPOOL_SIZE|SSL_CERT_(FILE|DIR)|TOLLGATE_MIGRATIONS_DIR)$|_proxy$/i;

/** Decided here, whatever the launcher was given. */
const decided = ['NATS_URL', 'NATS_USER', 'NATS_PASSWORD', 'NATS_CA', 'DATABASE_URL', 'TOLLGATE_KEY_PEPPER'].concat([
  'TOLLGATE_KEY_ENCRYPTION_KEY',
  'TOLLGATE_BOOTSTRAP_SECRET',
  'TOLLGATE_PUBLIC_URL',
  'TOLLGATE_SANDBOX_URL',
  'PORT',
  'INTERNAL_PORT',
]);

/** The bundle that runs the instances of one process. */
export function processScript(root: string, [first, ...others]: readonly InstancePlan[]): string {
  const program = others.length === 0 && first ? first.service : sharedProgram;
  return join(root, 'dist', 'apps', program, 'main.js');
}

/**
 * The environment of the process of these instances. Where they are several each has its own name in NATS,
 * and port.
 */
export function processEnvironment(
  plans: readonly InstancePlan[],
  addresses: (plan: InstancePlan) => StackAddresses,
  common: NodeJS.ProcessEnv,
): NodeJS.ProcessEnv {
  const each = plans.map((plan) => [plan.service, serviceEnvironment(plan, addresses(plan), common)] as const);
  if (each.length === 1) return { ...each[0]?.[1] };
  const renamed = each.flatMap(([service, environment]) =>
    Object.entries(environment).map(([name, value]) => [ownOfEach.has(name) ? ownName(service, name) : name, value]),
  );
  return Object.fromEntries(renamed) as NodeJS.ProcessEnv;
}

/** What no two services of a process have alike. */
const ownOfEach = new Set(['NATS_URL', 'INTERNAL_PORT']);

/**
 * What glibc keeps of memory that was freed at the end of its heap, bytes; where it is said, as here by its
 * own first value, what is larger is memory of its own for good, which the system has back at once: bodies
 * of a megabyte that stalled left 290 MiB with an edge.
 * https://www.gnu.org/software/libc/manual/html_node/Malloc-Tunable-Parameters.html
 */
const givenBack = { MALLOC_TRIM_THRESHOLD_: '131072' };

/**
 * What keeps a process of ours small. Node keeps two halves for new objects as large as they once were, 16 MB
 * each after its start; small ones are collected more often, so those of who answers callers are larger.
 * glibc keeps what was freed, for as many threads as there are cores.
 * https://nodejs.org/api/cli.html#--max-semi-space-sizesize-in-mib
 * https://www.gnu.org/software/libc/manual/html_node/Malloc-Tunable-Parameters.html
 */
export function smallNode(program: string): Record<string, string> & { NODE_OPTIONS: string } {
  const halfMb = program === sharedProgram ? 2 : 4;
  return {
    NODE_OPTIONS: `--max-semi-space-size=${halfMb}`,
    MALLOC_ARENA_MAX: '2',
    ...givenBack,
  };
}

/**
 * The environment of a process with what keeps it small; options of Node that were given stand behind, and
 * win.
 */
export function withLittleMemory(program: string, environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const small = smallNode(program);
  const options = [small.NODE_OPTIONS, environment.NODE_OPTIONS].filter(Boolean).join(' ');
  return { ...environment, ...small, NODE_OPTIONS: options };
}

/**
 * The environment of one service: of what the launcher was given that which this service reads, and what is
 * decided here.
 */
export function serviceEnvironment(
  plan: InstancePlan,
  addresses: StackAddresses,
  common: NodeJS.ProcessEnv,
): NodeJS.ProcessEnv {
  const { natsUrl, natsCa, databaseUrl, sandboxUrl, pepper, bootstrapSecret, publicUrl, journalFolder } = addresses;
  const { keyEncryptionKey } = addresses;
  const nats = { NATS_URL: natsUrl, ...(natsCa ? { NATS_CA: natsCa } : {}) };
  const database = { ...nats, DATABASE_URL: databaseUrl };
  const own: Record<ServiceName, NodeJS.ProcessEnv> = {
    sandbox: {},
    accounts: {
      ...database,
      TOLLGATE_KEY_PEPPER: pepper,
      TOLLGATE_BOOTSTRAP_SECRET: bootstrapSecret,
      TOLLGATE_PUBLIC_URL: publicUrl,
    },
    catalog: database,
    metering: database,
    inference: {
      ...nats,
      TOLLGATE_KEY_ENCRYPTION_KEY: keyEncryptionKey,
      INFERENCE_JOURNAL: journalFolder,
      ...(sandboxUrl ? { TOLLGATE_SANDBOX_URL: sandboxUrl } : {}),
    },
    edge: { ...nats, ...givenBack, TOLLGATE_KEY_PEPPER: pepper },
  };
  return {
    ...Object.fromEntries(Object.entries(common).filter(([name]) => isReadBy(plan.service, name))),
    INTERNAL_PORT: String(plan.internalPort),
    ...(plan.port === null ? {} : { PORT: String(plan.port) }),
    ...own[plan.service],
  };
}

/**
 * Keys of providers have the names that the operator's file gives them: inference gets all that no other
 * service, nor the launcher, calls its own.
 */
function isReadBy(service: ServiceName, variable: string): boolean {
  if (ofTheSystem.test(variable)) return true;
  const name = variable.replace(/_FILE$/, '');
  if (decided.includes(name)) return false;
  if (name in serviceVariables[service].shape) return true;
  return service === 'inference' && !isKnown(name) && !name.startsWith('npm_');
}

function isKnown(name: string): boolean {
  return name in launcherVariables.shape || serviceNames.some((service) => name in serviceVariables[service].shape);
}
