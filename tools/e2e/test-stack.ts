import { newestSchema } from '@tollgate/database/testing';
import { newDataFolder } from '@tollgate/testing';
import { readFileSync, rmSync } from 'node:fs';
import { SimulatedProvider } from '../prove/simulated-provider';
import { startStack } from '../stack/stack';
import type { Stack } from '../stack/stack';
import type { StackOptions } from '../stack/stack-options';

/**
 * The built services on free ports in a folder of their own, with simulated providers. As of `npm start`,
 * accounts, catalog and metering are one process, which is loaded once, unless `split` is asked for. What
 * services do with a database that is empty is shown by `compact.e2e`, and by the proofs.
 */
export interface TestStack {
  stack: Stack;
  provider: SimulatedProvider;
  stop: () => Promise<void>;
}

export async function startTestStack(options: Partial<StackOptions> = {}): Promise<TestStack> {
  const dataFolder = newDataFolder('stack');
  const stack = await startStack({
    dataFolder,
    durable: false,
    layout: 'compact',
    prepared: newestSchema(),
    ...options,
    environment: { TOLLGATE_SANDBOX: 'on', EDGE_STOP_GRACE_S: '0', ...options.environment },
  });
  const stop = async () => {
    await stack.stop();
    const refusals = natsRefusals(stack);
    rmSync(dataFolder, { recursive: true, force: true });
    if (refusals.length > 0) throw new Error(`NATS refused what a service needs:\n${refusals.join('\n')}`);
  };
  return { stack, provider: new SimulatedProvider(stack.sandboxUrl ?? ''), stop };
}

/** Lines of the services' logs that tell of a subject which the table of permissions lacks. */
function natsRefusals({ processes }: Stack): string[] {
  return [...processes.values()].flatMap(({ name, logFile }) =>
    readFileSync(logFile, 'utf8')
      .split('\n')
      .filter((line) => /permissions?[ _]violation|NATS does not permit/i.test(line))
      .map((line) => `${name}: ${line}`),
  );
}
