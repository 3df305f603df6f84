import { z } from 'zod';
import { StackError } from '../stack/stack-error';

/** One way to the simulated provider. */
export interface BenchTarget {
  name: 'direct' | 'raw proxy' | 'gateway';
  url: string;
  model: string;
  headers: Record<string, string>;
  /** Names of the processes whose work is this way's own. */
  processes: readonly string[];
}

/**
 * Where things are, and with which key. `gatewayProcesses` are all parts of the gateway with their servers.
 */
export interface BenchAddresses {
  sandboxUrl: string;
  rawProxyUrl: string;
  gatewayUrl: string;
  apiKey: string;
  model: string;
  gatewayProcesses: readonly string[];
}

/**
 * The three ways, in the order in which they are measured: to the provider itself, through the raw proxy,
 * through the gateway.
 */
export type BenchTargets = readonly [direct: BenchTarget, rawProxy: BenchTarget, gateway: BenchTarget];

export function benchTargets(addresses: BenchAddresses): BenchTargets {
  const headers = { 'content-type': 'application/json' };
  const { model } = addresses;
  return [
    { name: 'direct', url: providerUrl(addresses.sandboxUrl), model, headers, processes: [] },
    { name: 'raw proxy', url: addresses.rawProxyUrl, model, headers, processes: ['raw proxy'] },
    {
      name: 'gateway',
      url: `${addresses.gatewayUrl}/v1/chat/completions`,
      model,
      headers: { ...headers, authorization: `Bearer ${addresses.apiKey}` },
      processes: addresses.gatewayProcesses,
    },
  ];
}

/** Where the simulated provider takes chat completions. */
export function providerUrl(sandboxUrl: string): string {
  return `${sandboxUrl}/openai-chat/chat/completions`;
}

/** Any model will do: in the sandbox every one answers alike. */
export async function firstModel(baseUrl: string, apiKey: string): Promise<string> {
  const response = await fetch(`${baseUrl}/v1/models`, { headers: { authorization: `Bearer ${apiKey}` } });
  const { data } = z.object({ data: z.array(z.object({ id: z.string() })) }).parse(await response.json());
  const [first] = data;
  if (!first) throw new StackError('No model is live, so there is nothing to measure.');
  return first.id;
}
