import { z } from 'zod';

/** By its shape: an error of Node's own is no instance of the `Error` that Jest gives to tests. */
const withCause = z.object({ cause: z.object({ code: z.string().optional(), message: z.string() }) });

/** Says of a broken connection what broke it: ECONNREFUSED means that nothing was sent. */
export function whatBroke(error: unknown): string {
  const { data } = withCause.safeParse(error);
  return data ? `${String(error)} (${data.cause.code ?? data.cause.message})` : String(error);
}
