import type { Stack } from '../stack/stack';
import { pacedPerS, saturatedConnections } from './bench-plan';
import { firstModel } from './bench-target';
import type { LoadJob } from './load/job';
import { pacedStreamBody, plainBody } from './request-bodies';

/** Streams side by side, each of fifty chunks a second. */
export const pacedStreams = 64;

/**
 * What is asked of ways in turns: plain requests as fast as 32 connections go, or 200 a second, or 64
 * streams. Its cost is that of a request, or of a chunk.
 */
export const kinds = ['saturated', 'paced', 'streams'] as const;
export type Kind = (typeof kinds)[number];

/** A way to a provider: the raw proxy, a build, or another's gateway. */
export interface Way {
  name: string;
  url: string;
  headers: Record<string, string>;
  model: string;
  /** The processes whose work is this way's own, by name. */
  pids: () => ReadonlyMap<string, number>;
}

/** The way through a stack, with a key whose plan limits nothing. The simulated providers do not count. */
export async function wayThrough(stack: Stack, name: string): Promise<Way> {
  const { apiKey } = await stack.createKey({ name: 'bench', plan: 'enterprise', rpm: null, quotaTokens: null });
  const processes = [...stack.processes].filter(([process]) => process !== 'sandbox');
  return {
    name,
    url: `${stack.baseUrl}/v1/chat/completions`,
    headers: { 'content-type': 'application/json', authorization: `Bearer ${apiKey}` },
    model: await firstModel(stack.baseUrl, apiKey),
    pids: () => new Map(processes.flatMap(([process, { pid }]) => (pid === null ? [] : [[process, pid] as const]))),
  };
}

/** What the load generator is told to ask of a way. `ratePerS`: of paced requests. */
export function jobOf(kind: Kind, { url, headers, model }: Way, seconds: number, ratePerS = pacedPerS): LoadJob {
  const at = { url, headers, durationS: seconds };
  if (kind === 'paced') return { kind, ...at, body: plainBody(model), ratePerS };
  if (kind === 'saturated') return { kind, ...at, body: plainBody(model), connections: saturatedConnections };
  return { kind: 'saturated', ...at, body: pacedStreamBody(model), connections: pacedStreams };
}
