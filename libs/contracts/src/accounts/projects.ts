import { z } from 'zod';

/** More keys of projects than these are not told at once: a message of NATS has no room for them. */
export const mostProjectKeys = 20_000;

/** Keys by the project that they are of. */
export const projects = z.array(z.object({ name: z.string(), keyIds: z.array(z.string()) }));
export type Projects = z.infer<typeof projects>;
