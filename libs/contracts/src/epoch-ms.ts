import { z } from 'zod';

/** The last moment that a Date can be, epoch milliseconds. */
export const lastMs = 8.64e15;

/** A moment, epoch milliseconds: whole, from 1970 on, and as far as a Date reaches. */
export const epochMs = z.number().int().nonnegative().max(lastMs);
