import { EnvironmentError, TollgateFileError } from '@tollgate/configuration';
import { peopleOperations } from '@tollgate/contracts/accounts';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { useInstallation } from '../install/in-use';
import { buildServices } from './build';
import { readDevFile, writeDevFile } from './dev-file';
import { firstCompletion, firstKey, lookAtCatalog } from './first-request';
import { greeting } from './greeting';
import { findHomeServers, offerOf } from './home-servers';
import { LauncherLock } from './launcher-lock';
import { stopOnRequest } from './shutdown';
import { Stack } from './stack';
import { StackError } from './stack-error';
import { startOptions } from './start-environment';
import { workspaceRoot } from './workspace-root';

/**
 * `npm start`: builds, starts everything, makes a first key, proves it with a completion, says how to use it,
 * and stays until it is told to stop. A release, which holds no sources, was built before.
 */
async function start(): Promise<void> {
  const options = startOptions();
  const lock = new LauncherLock(options.dataFolder);
  lock.take();
  useInstallation(workspaceRoot);
  let apiKey: string | null = null;
  const stack: Stack = new Stack({
    ...options,
    onProgress: (line) => console.log(line),
    onChange: () => apiKey && writeDevFile(stack, apiKey),
  });
  const stop = async () => {
    await stack.stop();
    lock.release();
  };
  stopOnRequest(stop);
  try {
    if (existsSync(join(workspaceRoot, 'apps'))) await buildServices({ onProgress: (line) => console.log(line) });
    await stack.start();
    apiKey = await firstKey(stack, readDevFile(stack.dataFolder)?.apiKey ?? null);
    writeDevFile(stack, apiKey);
    await introduce(stack, apiKey, options.environment?.TOLLGATE_SANDBOX === 'on');
  } catch (error) {
    await stop();
    throw error;
  }
}

/**
 * A completion of a real provider costs money or a model's loading: only the sandbox is asked for one
 * unasked.
 */
async function introduce(stack: Stack, apiKey: string, isSandboxAsked: boolean): Promise<void> {
  const { model, isModelSimulated, providers, ...answering } = await lookAtCatalog(stack);
  const { baseUrl, dataFolder, publicUrl } = stack;
  const { features } = await stack.call(peopleOperations.session, { token: null });
  const bootstrapSecret = features.needsFirstAdministrator ? stack.bootstrapSecret : null;
  if (model === null) throw new StackError('No model is live: check the providers in tollgate.yaml and their keys.');
  if (isModelSimulated) {
    const answer = await firstCompletion(baseUrl, apiKey, model);
    console.log(`A first completion of ${model} came back: ${answer.slice(0, 60)}…`);
  }
  const devFile = join(dataFolder, 'dev.json');
  const found = await findHomeServers(providers, Number(new URL(baseUrl).port));
  const hasSdk = existsSync(join(workspaceRoot, 'node_modules', 'openai'));
  const told = { baseUrl, apiKey, model, answering, isSandboxAsked, devFile, publicUrl, bootstrapSecret, hasSdk };
  console.log(greeting({ ...told, found: found.map(offerOf) }));
}

start().catch((error: unknown) => {
  const expected = [StackError, EnvironmentError, TollgateFileError].some((kind) => error instanceof kind);
  console.error(expected && error instanceof Error ? error.message : error);
  process.exit(1);
});
