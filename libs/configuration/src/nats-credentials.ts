import { z } from 'zod';

/**
 * Beside NATS_URL: as whom a service connects, where the address does not say it, and who signs the server's
 * certificate (PEM).
 */
export const natsCredentials = {
  NATS_USER: z.string().optional(),
  NATS_PASSWORD: z.string().optional(),
  NATS_CA: z.string().optional(),
} as const;
