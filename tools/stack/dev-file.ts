import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import type { Stack } from './stack';

/**
 * What `npm start` leaves for tools and people in the data folder's dev.json. `null` pid: that process is
 * down at the moment.
 */
export const devFile = z.object({
  baseUrl: z.string(),
  apiKey: z.string(),
  natsUrl: z.string(),
  databaseUrl: z.string(),
  sandboxUrl: z.string().nullable(),
  /** Makes the first administrator of the dashboard. */
  bootstrapSecret: z.string(),
  /** How to administer: whoever reaches NATS may; from elsewhere it takes a token of the admin API. */
  administration: z.string(),
  launcherPid: z.number().int(),
  processes: z.record(
    z.string(),
    z.object({ pid: z.number().int().nullable(), logFile: z.string(), internalUrls: z.array(z.string()).default([]) }),
  ),
});
type DevFile = z.infer<typeof devFile>;

const pathOf = (dataFolder: string) => join(dataFolder, 'dev.json');

/** What the last start left; null when there was none or it cannot be read any more. */
export function readDevFile(dataFolder: string): DevFile | null {
  try {
    const result = devFile.safeParse(JSON.parse(readFileSync(pathOf(dataFolder), 'utf8')));
    return result.success ? result.data : null;
  } catch {
    return null;
  }
}

/** Writes it whole, readable by its owner only: it holds a key. */
export function writeDevFile(stack: Stack, apiKey: string): void {
  const content: DevFile = {
    baseUrl: stack.baseUrl,
    apiKey,
    natsUrl: stack.natsUrl,
    databaseUrl: stack.databaseUrl,
    sandboxUrl: stack.sandboxUrl,
    bootstrapSecret: stack.bootstrapSecret,
    administration:
      'npm run tollgate -- --help (it speaks to the services over NATS at natsUrl, and from another machine to the admin API, with a token)',
    launcherPid: process.pid,
    processes: Object.fromEntries(
      [...stack.processes].map(([name, { pid, logFile, internalUrls }]) => [
        name,
        { pid, logFile, internalUrls: [...internalUrls] },
      ]),
    ),
  };
  const file = pathOf(stack.dataFolder);
  writeFileSync(`${file}.new`, `${JSON.stringify(content, null, 2)}\n`, { mode: 0o600 });
  renameSync(`${file}.new`, file);
}
