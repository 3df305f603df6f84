import { z } from 'zod';

/** A moment, epoch milliseconds: whole, from 1970 on, and as far as a Date reaches. */
export const epochMs = z.number().int().nonnegative().max(8.64e15);
