import { natsCredentials, readEnvironment } from '@tollgate/configuration';
import { addressOptions, natsAddress, withoutCredentials } from '@tollgate/messaging';
import type { NatsAddress } from '@tollgate/messaging';
import { connect as connectNats } from 'nats';
import type { NatsConnection } from 'nats';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, isAbsolute, join } from 'node:path';
import { z } from 'zod';
import { exitCodes, Refusal } from './failure';

const connectTimeoutMs = 3_000;
const devFile = z.object({ natsUrl: z.string().min(1) });
const variables = z.object({
  NATS_URL: z.string().optional(),
  TOLLGATE_DATA: z.string().optional(),
  ...natsCredentials,
});

/**
 * Finds the NATS server of the gateway: NATS_URL (with NATS_USER, NATS_PASSWORD and NATS_CA), else `natsUrl`
 * in `.tollgate/dev.json` of `folder` or a folder above it (which `npm start` writes; TOLLGATE_DATA says
 * where, as there).
 * @throws Refusal when neither is there, or the file cannot be read.
 */
export function findNats(environment: NodeJS.ProcessEnv, folder: string): NatsAddress {
  const { NATS_URL, TOLLGATE_DATA, ...credentials } = readEnvironment(variables, environment);
  if (NATS_URL) return natsAddress({ NATS_URL, ...credentials });
  const devFileName = join(TOLLGATE_DATA || '.tollgate', 'dev.json');
  const path = findUpwards(folder, devFileName);
  if (path === null)
    throw new Refusal(
      `There is no gateway to talk to: NATS_URL is not set, and there is no ${devFileName} here.\nStart one with npm start, or set NATS_URL to the NATS server of a running one, or TOLLGATE_URL and TOLLGATE_TOKEN to its address and an admin token.`,
      exitCodes.unavailable,
    );
  try {
    return { url: devFile.parse(JSON.parse(readFileSync(path, 'utf8'))).natsUrl };
  } catch {
    throw new Refusal(`${path} does not hold a natsUrl. Start the gateway again with npm start, or set NATS_URL.`);
  }
}

/**
 * Connects once, within three seconds: a command must not wait for a server that is not there.
 * @throws Refusal naming the server (without credentials) that does not answer.
 */
export async function connect(address: NatsAddress): Promise<NatsConnection> {
  try {
    return await connectNats({
      ...addressOptions(address),
      name: 'tollgate-cli',
      timeout: connectTimeoutMs,
      reconnect: false,
    });
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new Refusal(
      `NATS does not answer at ${withoutCredentials(address.url)} (${reason}).\nIs the gateway running? Start it with npm start, or set NATS_URL.`,
      exitCodes.unavailable,
    );
  }
}

function findUpwards(folder: string, name: string): string | null {
  const path = isAbsolute(name) ? name : join(folder, name);
  if (existsSync(path)) return path;
  return isAbsolute(name) || dirname(folder) === folder ? null : findUpwards(dirname(folder), name);
}
