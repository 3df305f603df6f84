import { askInstances, ControlClient, subscribeJson } from '@tollgate/messaging';
import type { NatsConnection } from 'nats';
import { userInfo } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import type { z } from 'zod';
import { exitCodes, failureOf, OnlyInAdminApi } from './failure';
import type { Gateway } from './gateway';
import { program } from './program';
import type { Write } from './program';

/**
 * A person waits longer than a request may: who gives up on a busy gateway does not learn the key that it
 * makes all the same. Where nobody is there to answer, that is said soon. Milliseconds.
 */
const patience = { timeoutMs: 15_000, absentMs: 2_000 };

/** Where a run of the CLI happens. */
export interface Terminal {
  environment: NodeJS.ProcessEnv;
  folder: string;
  write: Write;
}

/**
 * Runs one command line (without node and the script) and returns the exit code. Looks for a gateway only
 * when a command asks something, so that help needs none, and loads what asks then.
 */
export async function run(commandLine: readonly string[], { environment, folder, write }: Terminal): Promise<number> {
  let connection: Promise<NatsConnection> | undefined;
  const connected = (): Promise<NatsConnection> => (connection ??= connectTo(environment, folder));
  const overNats: Gateway = {
    call: async (operation, request, options) =>
      new ControlClient(await connected()).call(operation, request, { ...patience, ...options }),
    askEdge: (route) => Promise.reject(new OnlyInAdminApi(route)),
    hear: async (subject, notice, forMs) => {
      const heard: z.output<typeof notice>[] = [];
      const subscription = subscribeJson(await connected(), subject, notice, (one) => void heard.push(one));
      await delay(forMs);
      subscription.unsubscribe();
      return heard;
    },
    instances: async (waitMs) => askInstances(await connected(), waitMs),
  };
  const chosen = async (): Promise<Gateway> => {
    const { httpGateway, remoteGateway } = await import('./http-gateway');
    const remote = remoteGateway(environment);
    return remote ? httpGateway(remote) : overNats;
  };
  const gateway: Gateway = {
    call: async (operation, request, options) => (await chosen()).call(operation, request, options),
    askEdge: async (route, body) => (await chosen()).askEdge(route, body),
    hear: async (subject, notice, forMs) => (await chosen()).hear(subject, notice, forMs),
    instances: async (waitMs) => (await chosen()).instances(waitMs),
  };
  const output = {
    show: (result: object, json: boolean | undefined, human: () => string): void =>
      write.out(`${json ? JSON.stringify(result, null, 2) : human()}\n`),
  };
  try {
    const surroundings = { environment, gateway, output, actor: `cli:${userName()}` };
    await (await program(surroundings, write, commandLine)).parseAsync(commandLine, { from: 'user' });
    return exitCodes.done;
  } catch (error) {
    const { message, exitCode } = failureOf(error);
    if (message !== null) write.error(`${message}\n`);
    return exitCode;
  } finally {
    // A connection that failed was reported above.
    await connection?.then((open) => open.close()).catch(() => undefined);
  }
}

async function connectTo(environment: NodeJS.ProcessEnv, folder: string): Promise<NatsConnection> {
  const { connect, findNats } = await import('./connect');
  return connect(findNats(environment, folder));
}

/** The name of who runs this. A container may run under a user id that has no name. */
function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return `uid-${process.getuid?.() ?? 'unknown'}`;
  }
}
