import { z } from 'zod';

/** Text from outside. Postgres cannot store, nor look for, the NUL character. */
export const text = (maxLength: number) =>
  z
    .string()
    .max(maxLength)
    .regex(/^[^\0]*$/, 'must not contain the NUL character');
