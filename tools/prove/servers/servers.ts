import { litellm } from './kinds/litellm';
import { llamaCpp } from './kinds/llama-cpp';
import { ollama } from './kinds/ollama';
import { transformers } from './kinds/transformers';
import { vllm } from './kinds/vllm';
import type { OwnServer } from './own-server';

/** Every server that the proof knows, the quick ones first. */
export const ownServers: readonly OwnServer[] = [llamaCpp, litellm, transformers, vllm, ollama];

/**
 * The servers with these ids, with commas between, and those that they pass on to; empty: all that cost
 * little, and those of `and`.
 * @throws Error for an id of none
 */
export function chosenServers(only: string, and = ''): OwnServer[] {
  const [ids, more] = [idsIn(only), idsIn(and)];
  const wanted = ownServers.filter(
    ({ id, cost }) => more.includes(id) || (only === '' ? cost === null : ids.includes(id)),
  );
  return ownServers.filter(({ id }) => wanted.some((server) => server.id === id || server.behind === id));
}

function idsIn(text: string): string[] {
  const ids = text.split(',').filter((id) => id !== '');
  const unknown = ids.filter((id) => !ownServers.some((server) => server.id === id));
  if (unknown.length > 0) throw new Error(`No server is called ${unknown.join(' or ')}.`);
  return ids;
}
