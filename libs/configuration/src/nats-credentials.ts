import { z } from 'zod';

/**
 * Beside NATS_URL: as whom a service connects, where the address does not say it, and who signs the server's
 * certificate (PEM). NATS_PASSWORD_FILE, beside what it gives to NATS_PASSWORD, is read again for every new
 * connection, so that a password can be changed while a service runs.
 */
export const natsCredentials = {
  NATS_USER: z.string().optional(),
  NATS_PASSWORD: z.string().optional(),
  NATS_PASSWORD_FILE: z.string().optional(),
  NATS_CA: z.string().optional(),
} as const;
