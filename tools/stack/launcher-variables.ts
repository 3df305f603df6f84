import { natsCredentials } from '@tollgate/configuration';
import { z } from 'zod';

const port = z.coerce.number().int().min(1).max(65_535);

/** Which services share a process: of `split` none, of `compact` those that keep records. */
export const layouts = ['compact', 'split'] as const;
export type Layout = (typeof layouts)[number];

/** What `npm start` reads itself. Each service is handed what it reads of the rest. */
export const launcherVariables = z.object({
  PORT: port.default(8080),
  TOLLGATE_DATA: z.string().default('.tollgate'),
  TOLLGATE_CONFIG: z.string().optional(),
  TOLLGATE_KEY_PEPPER: z.string().min(32).optional(),
  TOLLGATE_KEY_ENCRYPTION_KEY: z.string().min(32).optional(),
  TOLLGATE_BOOTSTRAP_SECRET: z.string().min(16).optional(),
  TOLLGATE_PUBLIC_URL: z.url({ protocol: /^https?$/ }).optional(),
  TOLLGATE_LAYOUT: z.enum(layouts).default('compact'),
  TOLLGATE_SANDBOX: z.enum(['auto', 'on', 'off']).default('auto'),
  TOLLGATE_SANDBOX_PORT: port.optional(),
  TOLLGATE_POSTGRES_PORT: port.optional(),
  TOLLGATE_NATS_PORT: port.optional(),
  TOLLGATE_INTERNAL_PORT_BASE: port.max(65_530).optional(),
  DATABASE_URL: z.string().optional(),
  NATS_URL: z.string().optional(),
  ...natsCredentials,
});
