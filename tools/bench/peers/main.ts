import { freePort } from '@tollgate/testing';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { z } from 'zod';
import { AbsentError } from '../../prove/clients/install';
import { buildServices } from '../../stack/build';
import { startStack } from '../../stack/stack';
import { StackError } from '../../stack/stack-error';
import { providerUrl } from '../bench-target';
import { BenchProcess } from '../child-process';
import { machine } from '../machine';
import { memoryMeasure } from '../process-cost';
import { wayThrough, type Way } from '../ways';
import { litellm } from './litellm';
import type { Peer, SwitchedOn } from './peer';
import { peerFigures } from './peer-figures';
import { measurePeers, type PeersPlan } from './peers-run';
import { peersReport, type PeerLine } from './peers-report';
import { portkey } from './portkey';
import { startPeer } from './running-peer';

const nothingOn: SwitchedOn = { keys: 'no', limits: 'no', metering: 'no', database: 'no' };
const everythingOn: SwitchedOn = {
  keys: 'yes',
  limits: 'checked; those of the key are unlimited',
  metering: 'every request, durable',
  database: 'Postgres, and NATS with JetStream',
};

/** A line of the table that is to be measured, or that says why it cannot be. */
type Entrant = { name: string; on: SwitchedOn } & ({ way: Way } | { absent: string });

/** What ends when the benchmark does, the last first. */
type Ends = (() => unknown)[];

/**
 * `npm run bench:peers`: the raw proxy, Tollgate with everything on, Portkey's gateway (npm) and LiteLLM's
 * proxy (PyPI, where Python 3 is) in turns over the same simulated provider. They are installed into a
 * scratch folder, which goes afterwards; one that cannot be had here is a line of the table that says so.
 * `--rounds` (3), `--seconds` (3) of each measurement, `--no-build` takes what was built before, `--compact`
 * runs Tollgate in the layout of one small machine.
 */
async function benchPeers(): Promise<void> {
  const flag = { type: 'boolean', default: false } as const;
  const { values } = parseArgs({
    options: {
      rounds: { type: 'string', default: '3' },
      seconds: { type: 'string', default: '3' },
      'no-build': flag,
      compact: flag,
    },
  });
  const plan = { rounds: Number(values.rounds), seconds: Number(values.seconds), warmUpS: 5 };
  const [loadBefore = 0] = loadavg();
  const startedAt = performance.now();
  if (!values['no-build']) await buildServices({ onProgress: (line) => console.log(line) });
  const folder = await mkdtemp(join(tmpdir(), 'tollgate-peers-'));
  const ends: Ends = [() => rm(folder, { recursive: true, force: true })];
  const stop = async (): Promise<void> => {
    for (let end = ends.pop(); end; end = ends.pop()) await end();
  };
  const ended = (): void => void stop().finally(() => process.exit(130));
  process.once('SIGINT', ended).once('SIGTERM', ended);
  try {
    console.log(`\n${await compared(folder, values.compact ? 'compact' : 'split', plan, ends)}`);
  } finally {
    await stop();
  }
  const loads = `load average before: ${loadBefore.toFixed(1)}, after: ${(loadavg()[0] ?? 0).toFixed(1)}`;
  const tookS = Math.round((performance.now() - startedAt) / 1_000);
  console.log(`\n${machine()}; ${loads}; ${plan.rounds} x ${plan.seconds} s of each; ${tookS} s in all.`);
  console.log(`Memory: ${memoryMeasure}.`);
}

/** The table of a run, as Markdown. */
async function compared(folder: string, layout: 'compact' | 'split', plan: PeersPlan, ends: Ends): Promise<string> {
  const dataFolder = join(folder, 'tollgate');
  const stack = await startStack({ dataFolder, layout, environment: { LOG_LEVEL: 'warn' } });
  ends.push(() => stack.stop());
  const { sandboxUrl } = stack;
  if (sandboxUrl === null) throw new StackError('The benchmark needs the simulated providers.');
  const ours = await wayThrough(stack, `Tollgate, ${layout} layout`);
  const entrants: Entrant[] = [
    { name: 'raw proxy', on: nothingOn, way: await rawProxyWay(sandboxUrl, ours.model, ends) },
    { name: ours.name, on: everythingOn, way: ours },
  ];
  for (const peer of [portkey, litellm])
    entrants.push(await entrantOf(peer, join(folder, peer.name), sandboxUrl, ends));
  const generator = new BenchProcess('load/generator.ts');
  ends.push(() => generator.stop());
  const ways = entrants.flatMap((entrant) => ('way' in entrant ? [entrant.way] : []));
  const measured = await measurePeers(ways, generator, plan, (line) => console.log(line));
  return peersReport(
    entrants.flatMap((entrant): PeerLine[] => {
      if ('absent' in entrant) return [entrant];
      const measurements = measured.get(entrant.way);
      return measurements ? [{ name: entrant.name, on: entrant.on, figures: peerFigures(measurements) }] : [];
    }),
  );
}

async function rawProxyWay(sandboxUrl: string, model: string, ends: Ends): Promise<Way> {
  const name = 'raw proxy';
  const rawProxy = new BenchProcess('raw-proxy.ts', [providerUrl(sandboxUrl)]);
  ends.push(() => rawProxy.stop());
  const { port } = await rawProxy.next(z.object({ port: z.number() }));
  const headers = { 'content-type': 'application/json' };
  return { name, url: `http://127.0.0.1:${port}/`, headers, model, pids: () => new Map([[name, rawProxy.pid]]) };
}

/** Installs and starts a gateway of others. */
async function entrantOf(peer: Peer, folder: string, sandboxUrl: string, ends: Ends): Promise<Entrant> {
  const { name, on } = peer;
  console.log(`installing ${name}`);
  try {
    await mkdir(folder);
    await peer.install(folder);
    const providerBaseUrl = providerUrl(sandboxUrl).replace(/\/chat\/completions$/, '');
    const way = await startPeer(peer, { folder, port: await freePort(), providerBaseUrl });
    ends.push(() => way.stop());
    return { name, on, way };
  } catch (error) {
    if (!(error instanceof AbsentError || error instanceof StackError)) throw error;
    console.log(`${name} is left out: ${error.message}`);
    return { name, on, absent: error.message.replaceAll(folder, '') };
  }
}

benchPeers().catch((error: unknown) => {
  console.error(error instanceof StackError ? error.message : error);
  process.exit(1);
});
