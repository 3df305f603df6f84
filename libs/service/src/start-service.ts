import { EnvironmentError, TollgateFileError } from '@tollgate/configuration';
import { Service, type ServiceDefinition } from './service';
import type { ServiceSettings } from './service-settings';

/**
 * Runs a service as a program: until SIGTERM or SIGINT, at which it finishes what runs and exits 0. What keeps it from starting is told in the operator's words
 * where they are the operator's settings, with a stack otherwise, and the exit is 1.
 */
export function startService<Settings extends ServiceSettings>(definition: ServiceDefinition<Settings>): void {
  let service: Service<Settings>;
  try {
    service = new Service(definition, new definition.settings());
  } catch (error) {
    fail(error);
  }
  const stop = (): void => {
    if (!service.isStopping) service.stop().then(() => process.exit(0), fail);
  };
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
  service.start().catch((error: unknown) => {
    // A stop takes away what a start still waits for.
    if (!service.isStopping) fail(error);
  });
}

function fail(error: unknown): never {
  const isOperators = error instanceof EnvironmentError || error instanceof TollgateFileError;
  console.error(isOperators ? error.message : error);
  process.exit(1);
}
