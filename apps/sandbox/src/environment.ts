import { readEnvironment } from '@tollgate/configuration';
import { z } from 'zod';

const port = (fallback: number) => z.coerce.number().int().min(0).max(65_535).default(fallback);

/** The sandbox's settings; the README says what each means. */
const sandboxEnvironment = z.object({
  HOST: z.string().default('127.0.0.1'),
  PORT: port(4010),
  INTERNAL_HOST: z.string().default('127.0.0.1'),
  INTERNAL_PORT: port(9105),
  LOG_LEVEL: z.enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']).default('info'),
  SANDBOX_LEDGER_MAX: z.coerce.number().int().positive().default(200_000),
  SANDBOX_DEFAULTS: z.string().default(''),
});
export type SandboxEnvironment = z.infer<typeof sandboxEnvironment>;

/** @throws EnvironmentError naming every variable that is wrong. */
export function readSandboxEnvironment(environment: NodeJS.ProcessEnv = process.env): SandboxEnvironment {
  return readEnvironment(sandboxEnvironment, environment);
}
