import { setFlagsFromString } from 'node:v8';
import { EnvironmentError, ownEnvironment, TollgateFileError } from '@tollgate/configuration';
import { Service, type ServiceDefinition } from './service';
import type { ServiceSettings } from './service-settings';

/** An instance that runs in this process. */
type Running = Pick<Service<ServiceSettings>, 'start' | 'stop'>;

/** A service that can be a part of a process. */
export interface ProcessPart {
  /** @throws EnvironmentError naming every variable at fault. */
  readonly make: (common: NodeJS.ProcessEnv) => Running;
}

/**
 * A service as one of several in a process. It reads what is set for it alone, else what is set for all
 * (ownEnvironment).
 */
export function partOf<Settings extends ServiceSettings>(definition: ServiceDefinition<Settings>): ProcessPart {
  return {
    make: (common) => new Service(definition, new definition.settings(ownEnvironment(definition.name, common))),
  };
}

/**
 * Runs a service as a program: until SIGTERM or SIGINT, at which it finishes what runs and exits 0. What
 * keeps it from starting is told in the operator's words where they are the operator's settings, with a stack
 * otherwise, and the exit is 1.
 */
export function startService<Settings extends ServiceSettings>(definition: ServiceDefinition<Settings>): void {
  startTogether({ make: (environment) => new Service(definition, new definition.settings(environment)) });
}

/**
 * Runs services as one program. Each starts by itself and waits for what it needs; all stop at once, and the
 * process ends when the last one has. Where one cannot start the others are stopped in their order, and the
 * exit is 1.
 */
export function startTogether(...parts: readonly ProcessPart[]): void {
  allocateYoung();
  const services = madeOf(parts);
  let isEnding = false;
  const end = (code: 0 | 1, running: readonly Running[]): void => {
    if (isEnding) return;
    isEnding = true;
    void Promise.allSettled(running.map((service) => service.stop())).then((ends) => {
      const failures = ends.flatMap((one): unknown[] => (one.status === 'rejected' ? [one.reason] : []));
      failures.forEach(tell);
      process.exit(failures.length > 0 ? 1 : code);
    });
  };
  const stop = (): void => end(0, services);
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
  for (const service of services)
    service.start().catch((error: unknown) => {
      // A stop takes away what a start still waits for.
      if (isEnding) return;
      tell(error);
      end(
        1,
        services.filter((other) => other !== service),
      );
    });
}

/**
 * Has V8 make every object as a young one. By itself it makes those of a line of code old at once where
 * most of that line's have outlived a collection, as in a busy moment. Then a few objects of each request
 * are old, count as alive until the next full collection, and let all that they refer to outlive the
 * collections of young objects.
 * @see https://github.com/v8/v8/blob/main/src/flags/flag-definitions.h (`allocation_site_pretenuring`)
 */
function allocateYoung(): void {
  setFlagsFromString('--no-allocation-site-pretenuring');
}

/** Ends the process where settings are at fault, after it told those of all parts. */
function madeOf(parts: readonly ProcessPart[]): Running[] {
  const problems: unknown[] = [];
  const services = parts.flatMap(({ make }) => {
    try {
      return [make(process.env)];
    } catch (error) {
      problems.push(error);
      return [];
    }
  });
  if (problems.length === 0) return services;
  problems.forEach(tell);
  process.exit(1);
}

function tell(error: unknown): void {
  const isOperators = error instanceof EnvironmentError || error instanceof TollgateFileError;
  console.error(isOperators ? error.message : error);
}
