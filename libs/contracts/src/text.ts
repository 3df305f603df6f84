import { z } from 'zod';

/**
 * Text from outside. Postgres cannot store, nor look for, the NUL character and halves of characters (lone
 * surrogates).
 */
export const text = (maxLength: number) =>
  z
    .string()
    .max(maxLength)
    .regex(/^[^\0\ud800-\udfff]*$/u, 'must be whole characters, and must not contain the NUL character');

/** What people call a thing. Spaces around it are taken away, and something has to be left. */
export const thingName = (maxLength: number) => text(maxLength).trim().min(1, 'must not be empty');
