import { join } from 'node:path';

/** The services in the order in which they are started and shown. */
export const serviceNames = ['sandbox', 'accounts', 'catalog', 'metering', 'inference', 'edge'] as const;
export type ServiceName = (typeof serviceNames)[number];

/** What the services of one stack share. Addresses are those of servers that run already. */
export interface StackAddresses {
  natsUrl: string;
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

/** Credentials and addresses that only some services may see. */
const reserved = [
  'NATS_URL',
  'DATABASE_URL',
  'TOLLGATE_KEY_PEPPER',
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
  const { natsUrl, databaseUrl, sandboxUrl, pepper, bootstrapSecret, publicUrl, journalFolder } = addresses;
  const { SMTP_URL, OIDC_CLIENT_SECRET } = common;
  const database = { NATS_URL: natsUrl, DATABASE_URL: databaseUrl };
  const own: Record<ServiceName, NodeJS.ProcessEnv> = {
    sandbox: {},
    accounts: {
      ...database,
      TOLLGATE_KEY_PEPPER: pepper,
      TOLLGATE_BOOTSTRAP_SECRET: bootstrapSecret,
      TOLLGATE_PUBLIC_URL: publicUrl,
      ...(SMTP_URL ? { SMTP_URL } : {}),
      ...(OIDC_CLIENT_SECRET ? { OIDC_CLIENT_SECRET } : {}),
    },
    catalog: database,
    metering: database,
    inference: {
      NATS_URL: natsUrl,
      INFERENCE_JOURNAL: journalFolder,
      ...(sandboxUrl ? { TOLLGATE_SANDBOX_URL: sandboxUrl } : {}),
    },
    edge: { NATS_URL: natsUrl, TOLLGATE_KEY_PEPPER: pepper },
  };
  return {
    ...Object.fromEntries(Object.entries(common).filter(([name]) => !reserved.includes(name))),
    INTERNAL_PORT: String(plan.internalPort),
    ...(plan.port === null ? {} : { PORT: String(plan.port) }),
    ...own[plan.service],
  };
}
