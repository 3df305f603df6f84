import { readEnvironment, serviceVariables } from '@tollgate/configuration';
import type { z } from 'zod';

/** The sandbox's settings; the README says what each means. */
export type SandboxEnvironment = z.infer<typeof serviceVariables.sandbox>;

/** @throws EnvironmentError naming every variable that is wrong. */
export function readSandboxEnvironment(environment: NodeJS.ProcessEnv = process.env): SandboxEnvironment {
  return readEnvironment(serviceVariables.sandbox, environment);
}
