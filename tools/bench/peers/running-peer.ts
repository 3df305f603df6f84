import { spawn, type ChildProcess } from 'node:child_process';
import { closeSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { StackError } from '../../stack/stack-error';
import { plainBody } from '../request-bodies';
import type { Way } from '../ways';
import type { Peer, PeerSite } from './peer';

const readyTimeoutMs = 180_000;
const lookEveryMs = 200;
const questionTimeoutMs = 10_000;
/** How much of its log is told where it does not start, letters. */
const toldLetters = 2_000;

/** A gateway of others that runs, as a way to the provider. */
export interface RunningPeer extends Way {
  stop: () => void;
}

/**
 * Starts one that is installed in `site.folder`, and waits until it answers a request. Of this process's
 * environment it has PATH alone: a setting of somebody's own installation would be measured with it.
 * @throws StackError with the end of its log, where it does not answer
 */
export async function startPeer(peer: Peer, site: PeerSite): Promise<RunningPeer> {
  const { program, args, environment, files = {} } = peer.command(site);
  for (const [name, text] of Object.entries(files)) writeFileSync(join(site.folder, name), text);
  const logFile = join(site.folder, 'log');
  const log = openSync(logFile, 'a');
  const child = spawn(program, args, {
    stdio: ['ignore', log, log],
    cwd: site.folder,
    env: { PATH: process.env.PATH, HOME: site.folder, ...environment },
  });
  closeSync(log);
  const failed = new Promise<false>((resolve) => child.once('error', () => resolve(false)));
  const stop = (): void => void child.kill('SIGKILL');
  process.once('exit', stop);
  const { headers, model } = peer.request(site);
  const way = {
    name: peer.name,
    url: `http://127.0.0.1:${site.port}/v1/chat/completions`,
    headers: { 'content-type': 'application/json', ...headers },
    model,
  };
  const isReady = await Promise.race([answers(child, way), failed]);
  const { pid } = child;
  if (!isReady || pid === undefined) {
    stop();
    throw new StackError(`${peer.name} did not answer:\n${readFileSync(logFile, 'utf8').slice(-toldLetters)}`);
  }
  return { ...way, pids: () => new Map([[peer.name, pid]]), stop };
}

async function answers(child: ChildProcess, { url, headers, model }: Omit<Way, 'pids'>): Promise<boolean> {
  const giveUpAt = performance.now() + readyTimeoutMs;
  while (child.pid !== undefined && child.exitCode === null && performance.now() < giveUpAt) {
    const signal = AbortSignal.timeout(questionTimeoutMs);
    const isOk = await fetch(url, { method: 'POST', headers, body: plainBody(model), signal })
      .then(async (answer) => (await answer.text()) !== '' && answer.ok)
      .catch(() => false);
    if (isOk) return true;
    await sleep(lookEveryMs);
  }
  return false;
}
