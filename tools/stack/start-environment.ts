import { natsCredentials, readEnvironment } from '@tollgate/configuration';
import { natsAddress } from '@tollgate/messaging';
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { z } from 'zod';
import type { StackOptions } from './stack-options';
import { workspaceRoot } from './workspace-root';

const port = z.coerce.number().int().min(1).max(65_535);

/** What `npm start` reads itself. Everything else in the environment is passed on to the services. */
const startEnvironment = z.object({
  PORT: port.default(8080),
  TOLLGATE_DATA: z.string().default('.tollgate'),
  TOLLGATE_CONFIG: z.string().optional(),
  TOLLGATE_KEY_PEPPER: z.string().min(32).optional(),
  TOLLGATE_BOOTSTRAP_SECRET: z.string().min(16).optional(),
  TOLLGATE_PUBLIC_URL: z.url({ protocol: /^https?$/ }).optional(),
  TOLLGATE_SANDBOX: z.enum(['auto', 'on', 'off']).default('auto'),
  TOLLGATE_SANDBOX_PORT: port.optional(),
  TOLLGATE_POSTGRES_PORT: port.optional(),
  TOLLGATE_NATS_PORT: port.optional(),
  TOLLGATE_INTERNAL_PORT_BASE: port.max(65_530).optional(),
  DATABASE_URL: z.string().optional(),
  NATS_URL: z.string().optional(),
  ...natsCredentials,
});

/** The options of `npm start`, from .env (where it exists) and the environment, which wins. @throws EnvironmentError */
export function startOptions(): StackOptions {
  const envFile = join(workspaceRoot, '.env');
  if (existsSync(envFile)) process.loadEnvFile(envFile);
  const settings = readEnvironment(startEnvironment);
  const configFile = settings.TOLLGATE_CONFIG ?? join(workspaceRoot, 'tollgate.yaml');
  const named = settings.TOLLGATE_CONFIG !== undefined || existsSync(configFile);
  const base = settings.TOLLGATE_INTERNAL_PORT_BASE;
  const numbered = ['edge', 'inference', 'catalog', 'accounts', 'metering', 'sandbox'] as const;
  return {
    dataFolder: resolve(workspaceRoot, settings.TOLLGATE_DATA),
    port: settings.PORT,
    sandboxPort: settings.TOLLGATE_SANDBOX_PORT,
    postgresPort: settings.TOLLGATE_POSTGRES_PORT,
    natsPort: settings.TOLLGATE_NATS_PORT,
    internalPorts: base === undefined ? {} : Object.fromEntries(numbered.map((name, index) => [name, base + index])),
    databaseUrl: settings.DATABASE_URL,
    natsUrl: settings.NATS_URL && natsAddress({ ...settings, NATS_URL: settings.NATS_URL }).url,
    natsCa: settings.NATS_URL && settings.NATS_CA,
    pepper: settings.TOLLGATE_KEY_PEPPER,
    bootstrapSecret: settings.TOLLGATE_BOOTSTRAP_SECRET,
    publicUrl: settings.TOLLGATE_PUBLIC_URL,
    sandbox: settings.TOLLGATE_SANDBOX !== 'off',
    environment: { ...process.env, ...(named ? { TOLLGATE_CONFIG: resolve(workspaceRoot, configFile) } : {}) },
  };
}
