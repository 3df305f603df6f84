import { loadTollgateFile, readEnvironment } from '@tollgate/configuration';
import { natsAddress } from '@tollgate/messaging';
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { launcherVariables } from './launcher-variables';
import type { StackOptions } from './stack-options';
import { workspaceRoot } from './workspace-root';

/**
 * The options of `npm start`, from .env (where it exists) and the environment, which wins.
 * @throws EnvironmentError; TollgateFileError for a file that each of its readers would refuse.
 */
export function startOptions(): StackOptions {
  const envFile = join(workspaceRoot, '.env');
  if (existsSync(envFile)) process.loadEnvFile(envFile);
  const settings = readEnvironment(launcherVariables);
  const configFile = settings.TOLLGATE_CONFIG ?? join(workspaceRoot, 'tollgate.yaml');
  const named = settings.TOLLGATE_CONFIG !== undefined || existsSync(configFile);
  if (named) loadTollgateFile(resolve(workspaceRoot, configFile));
  const base = settings.TOLLGATE_INTERNAL_PORT_BASE;
  const numbered = ['edge', 'inference', 'catalog', 'accounts', 'metering', 'sandbox'] as const;
  return {
    dataFolder: resolve(workspaceRoot, settings.TOLLGATE_DATA),
    layout: settings.TOLLGATE_LAYOUT,
    port: settings.PORT,
    sandboxPort: settings.TOLLGATE_SANDBOX_PORT,
    postgresPort: settings.TOLLGATE_POSTGRES_PORT,
    natsPort: settings.TOLLGATE_NATS_PORT,
    internalPorts: base === undefined ? {} : Object.fromEntries(numbered.map((name, index) => [name, base + index])),
    databaseUrl: settings.DATABASE_URL,
    natsUrl: settings.NATS_URL && natsAddress({ ...settings, NATS_URL: settings.NATS_URL }).url,
    natsCa: settings.NATS_URL && settings.NATS_CA,
    pepper: settings.TOLLGATE_KEY_PEPPER,
    keyEncryptionKey: settings.TOLLGATE_KEY_ENCRYPTION_KEY,
    bootstrapSecret: settings.TOLLGATE_BOOTSTRAP_SECRET,
    publicUrl: settings.TOLLGATE_PUBLIC_URL,
    sandbox: settings.TOLLGATE_SANDBOX !== 'off',
    environment: { ...process.env, ...(named ? { TOLLGATE_CONFIG: resolve(workspaceRoot, configFile) } : {}) },
  };
}
