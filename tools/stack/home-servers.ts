import { serverNames, type ProviderDefinition, type ServerName } from '@tollgate/contracts/catalog';
import { serverPresets } from '@tollgate/providers';
import { z } from 'zod';

/** Long enough for this machine, short enough for a start. */
const patienceMs = 300;

const models = z.array(z.object({ id: z.string(), owned_by: z.unknown() }));
/** Ollama has null where it has no models: https://github.com/ollama/ollama/blob/v0.17.4/openai/openai.go */
const list = z.union([
  z.object({ data: models }),
  z.object({ object: z.literal('list'), data: z.null() }).transform(() => ({ data: [] })),
]);

/** What servers of one port call themselves in `owned_by` of their lists. */
const ownNames: Partial<Record<ServerName, RegExp>> = {
  'llama-cpp': /^llamacpp$/,
  vllm: /^vllm$/,
};

/** A server of a known kind on this machine that no provider names. */
export interface HomeServer {
  preset: ServerName;
  baseUrl: string;
  models: number;
}

/**
 * Asks the usual ports of this machine for a list of models; nothing is added to any configuration by it.
 * Never rejects.
 */
export async function findHomeServers(
  known: readonly Pick<ProviderDefinition, 'baseUrl'>[],
  ownPort: number,
  ask: (baseUrl: string) => Promise<unknown> = modelsAt,
): Promise<HomeServer[]> {
  const taken = new Set([...known.map(({ baseUrl }) => portOf(baseUrl)), String(ownPort)]);
  const addresses = [...new Set(serverNames.map((name) => serverPresets[name].baseUrl))];
  const free = addresses.filter((baseUrl) => !taken.has(portOf(baseUrl)));
  const found = await Promise.all(free.map(async (baseUrl) => serverAt(baseUrl, await ask(baseUrl))));
  return found.filter((server) => server !== null);
}

/** One line that says what to write to use it. */
export function offerOf({ preset, baseUrl, models }: HomeServer): string {
  const entry = `- { id: ${preset}, preset: ${preset}, baseUrl: '${baseUrl}', models: discover }`;
  const count = models === 1 ? '1 model' : `${models} models`;
  return `${serverPresets[preset].name} at ${baseUrl} has ${count}; under "providers:" in tollgate.yaml: ${entry}`;
}

function serverAt(baseUrl: string, answer: unknown): HomeServer | null {
  const answered = list.safeParse(answer);
  if (!answered.success) return null;
  const data: z.infer<typeof models> = answered.data.data;
  const usual = serverNames.filter((name) => name !== 'openai-compatible' && serverPresets[name].baseUrl === baseUrl);
  const named = usual.find((name) => data.some(({ owned_by }) => ownNames[name]?.test(String(owned_by))));
  const preset = named ?? (usual.length === 1 ? usual[0] : undefined) ?? 'openai-compatible';
  return { preset, baseUrl, models: data.length };
}

function portOf(baseUrl: string): string {
  return /:(\d+)(?:\/|$)/.exec(baseUrl)?.[1] ?? '';
}

/** Null: nobody listens, or it is no such server. */
async function modelsAt(baseUrl: string): Promise<unknown> {
  try {
    const response = await fetch(`${baseUrl}/models`, {
      redirect: 'manual',
      signal: AbortSignal.timeout(patienceMs),
    });
    return await response.json();
  } catch {
    return null;
  }
}
