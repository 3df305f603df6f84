import { serviceVariables, type ConfiguredService } from './service-variables';

/**
 * What one service reads where several are one process: of each of its variables that which is set for it
 * alone (`ACCOUNTS_NATS_URL`, `ACCOUNTS_NATS_PASSWORD_FILE`), else that of all. INTERNAL_PORT is its own or
 * the default one: no two can listen on the same.
 */
export function ownEnvironment(service: ConfiguredService, common: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const environment = { ...common };
  for (const name of Object.keys(serviceVariables[service].shape)) {
    const own = ownName(service, name);
    const value = common[own];
    const file = common[`${own}_FILE`];
    if (!value && !file && name !== 'INTERNAL_PORT') continue;
    environment[name] = value;
    environment[`${name}_FILE`] = file;
  }
  return environment;
}

/** What a variable is called where it is for one service of a process alone. */
export function ownName(service: ConfiguredService, variable: string): string {
  return `${service.toUpperCase()}_${variable}`;
}
