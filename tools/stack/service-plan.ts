import { join } from 'node:path';

/** The services in the order in which they are started and shown. */
export const serviceNames = ['sandbox', 'accounts', 'catalog', 'metering', 'inference', 'edge'] as const;
export type ServiceName = (typeof serviceNames)[number];

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
  /** Whoever holds it may make the first administrator. */
  bootstrapSecret: string;
  /** Where people find the dashboard, without a slash at its end. */
  publicUrl: string;
  /** The folder in which inference keeps usage that is not stored yet. */
  journalFolder: string;
}

/** One process of a service. `port` is the public one, null where the service has none. */
export interface InstancePlan {
  service: ServiceName;
  /** `edge`, `edge-2`, `edge-3`, … */
  name: string;
  port: number | null;
  internalPort: number;
}

/** Credentials and addresses that only some services may see; the names of their files too. */
const reserved = [
  'NATS_URL',
  'NATS_USER',
  'NATS_PASSWORD',
  'NATS_CA',
  'DATABASE_URL',
  'TOLLGATE_KEY_PEPPER',
  'TOLLGATE_KEY_PEPPER_PREVIOUS',
  'TOLLGATE_BOOTSTRAP_SECRET',
  'TOLLGATE_PUBLIC_URL',
  'TOLLGATE_SANDBOX_URL',
  'SMTP_URL',
  'OIDC_CLIENT_SECRET',
  'PORT',
  'INTERNAL_PORT',
];

/** The bundle that runs a service. */
export function serviceScript(root: string, service: ServiceName): string {
  return join(root, 'dist', 'apps', service, 'main.js');
}

/** The environment of one process: what is common to all, and what this service alone needs. */
export function serviceEnvironment(
  plan: InstancePlan,
  addresses: StackAddresses,
  common: NodeJS.ProcessEnv,
): NodeJS.ProcessEnv {
  const { natsUrl, natsCa, databaseUrl, sandboxUrl, pepper, bootstrapSecret, publicUrl, journalFolder } = addresses;
  const secret = (name: string) =>
    Object.fromEntries([name, `${name}_FILE`].flatMap((one) => (common[one] ? [[one, common[one]]] : [])));
  const nats = { NATS_URL: natsUrl, ...(natsCa ? { NATS_CA: natsCa } : {}) };
  const database = { ...nats, DATABASE_URL: databaseUrl };
  const own: Record<ServiceName, NodeJS.ProcessEnv> = {
    sandbox: {},
    accounts: {
      ...database,
      TOLLGATE_KEY_PEPPER: pepper,
      TOLLGATE_BOOTSTRAP_SECRET: bootstrapSecret,
      TOLLGATE_PUBLIC_URL: publicUrl,
      ...secret('SMTP_URL'),
      ...secret('OIDC_CLIENT_SECRET'),
    },
    catalog: database,
    metering: database,
    inference: {
      ...nats,
      INFERENCE_JOURNAL: journalFolder,
      ...(sandboxUrl ? { TOLLGATE_SANDBOX_URL: sandboxUrl } : {}),
    },
    edge: { ...nats, TOLLGATE_KEY_PEPPER: pepper, ...secret('TOLLGATE_KEY_PEPPER_PREVIOUS') },
  };
  return {
    ...Object.fromEntries(Object.entries(common).filter(([name]) => !reserved.includes(name.replace(/_FILE$/, '')))),
    INTERNAL_PORT: String(plan.internalPort),
    ...(plan.port === null ? {} : { PORT: String(plan.port) }),
    ...own[plan.service],
  };
}
