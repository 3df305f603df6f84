import { startValkey, startValkeyPair } from '@tollgate/testing';
import type { ValkeyPair, ValkeyServer } from '@tollgate/testing';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildServices } from '../stack/build';
import { startStack } from '../stack/stack';
import type { Stack } from '../stack/stack';
import type { StackOptions } from '../stack/stack-options';

/** `keep`: databases and logs stay for a look; `onProgress` hears where. */
export interface ProofStack extends Omit<StackOptions, 'dataFolder'> {
  keep?: boolean;
}

/** Builds what changed, and plays `work` on a stack with simulated providers, in a folder of its own. */
export async function withStack<Result>(options: ProofStack, work: (stack: Stack) => Promise<Result>): Promise<Result> {
  const { keep = false, environment, ...rest } = options;
  await buildServices();
  const dataFolder = mkdtempSync(join(tmpdir(), 'tollgate-proof-'));
  try {
    const stack = await startStack({ ...rest, dataFolder, environment: { TOLLGATE_SANDBOX: 'on', ...environment } });
    try {
      return await work(stack);
    } finally {
      await stack.stop();
    }
  } finally {
    if (keep) options.onProgress?.(`Kept: ${dataFolder}`);
    else rmSync(dataFolder, { recursive: true, force: true });
  }
}

/** Plays `work` beside a Valkey of its own. */
export function withValkey<Result>(work: (valkey: ValkeyServer) => Promise<Result>): Promise<Result> {
  return beside(startValkey(), work);
}

/** Plays `work` beside a Valkey of its own that has a replica. */
export function withValkeyPair<Result>(work: (pair: ValkeyPair) => Promise<Result>): Promise<Result> {
  return beside(startValkeyPair(), work);
}

async function beside<Server extends { stop(): Promise<void> }, Result>(
  starting: Promise<Server>,
  work: (server: Server) => Promise<Result>,
): Promise<Result> {
  const server = await starting;
  try {
    return await work(server);
  } finally {
    await server.stop();
  }
}
