import { ControlError } from '@tollgate/contracts';
import { catalogOperations, liveProviderOperations } from '@tollgate/contracts/catalog';
import { inferenceOperations } from '@tollgate/contracts/inference';
import { eventually } from '@tollgate/testing';
import { once } from 'node:events';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import type { Stack } from '../../stack/stack';
import { fieldsWithUrls, urlsTo } from './hostile-urls';

export interface UrlProof {
  requests: number;
  models: number;
  byStatus: Record<string, number>;
  /** Connections that were opened to the address in a request: by whom does not matter, all of it is ours. */
  connections: number;
  /** How many of the addresses were taken as those of a provider; none of them may be reached. */
  providers: number;
  /** Answers with a 5xx, at most ten, with what was asked. */
  failures: string[];
}

const lanes = 12;
/** How often a request is sent that is answered 503. */
const mostTries = 4;

/**
 * Sends addresses of a listener in every field that takes one, on every surface, to a model of every dialect,
 * and counts who comes to the listener. `everyUrl` false: each field with three of the addresses, another
 * three for each model.
 */
export async function proveUrls(stack: Stack, { everyUrl }: { everyUrl: boolean }): Promise<UrlProof> {
  const proof: UrlProof = { requests: 0, models: 0, byStatus: {}, connections: 0, providers: 0, failures: [] };
  const listener = createServer((socket) => {
    proof.connections += 1;
    socket.destroy();
  });
  listener.listen(0);
  await once(listener, 'listening');
  const { port } = listener.address() as AddressInfo;
  const { apiKey } = await stack.createKey({ name: 'urls', plan: 'enterprise', rpm: null, quotaTokens: null });
  const models = await modelPerDialect(stack);
  proof.models = models.length;
  const pending = models.flatMap((model, index) =>
    chosen(urlsTo(port), everyUrl ? null : index).flatMap((url) =>
      fieldsWithUrls.map(([path, body]) => ({
        path,
        body: JSON.stringify({ model, ...body }).replaceAll('"URL"', JSON.stringify(url)),
        url,
      })),
    ),
  );
  const lane = async (): Promise<void> => {
    for (let next = pending.pop(); next; next = pending.pop()) {
      const headers = {
        ...{ authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
        ...{
          'x-base-url': encodeURI(next.url),
          'x-forwarded-host': `127.0.0.1:${port}`,
          forwarded: `host=127.0.0.1:${port}`,
        },
      };
      const ask = () => fetch(`${stack.baseUrl}${next.path}`, { method: 'POST', headers, body: next.body });
      let response = await ask();
      // A machine that is too busy says so; whatever stands in the request, it is answered when that is over.
      for (let tries = 1; response.status === 503 && tries < mostTries; tries++) {
        await response.arrayBuffer();
        await delay(1_000 * tries);
        response = await ask();
      }
      const text = await response.text();
      if (response.status >= 500 && proof.failures.length < 10)
        proof.failures.push(`${next.path} ${next.body} ${response.status} ${text}`);
      proof.requests += 1;
      proof.byStatus[response.status] = (proof.byStatus[response.status] ?? 0) + 1;
    }
  };
  await Promise.all(Array.from({ length: lanes }, lane));
  proof.providers = await asProviders(stack, port);
  listener.close();
  return proof;
}

/**
 * Sets a provider at each address, as somebody may who has not the environment, and has inference look at it.
 * Returns how many were taken.
 */
async function asProviders(stack: Stack, port: number): Promise<number> {
  const hosts = ['localhost', 'localhost.', '127.0.0.1', '[::1]', '[::ffff:127.0.0.1]', '2130706433'];
  const addresses = [...urlsTo(port), ...hosts.map((host) => `https://${host}:${port}/v1`)];
  const taken: string[] = [];
  for (const [index, baseUrl] of addresses.entries()) {
    const provider = `hostile-${index}`;
    try {
      await stack.call(liveProviderOperations.set, { provider, baseUrl, keys: [], by: 'proof' });
      taken.push(provider);
    } catch (error) {
      if (!(error instanceof ControlError) || error.code !== 'invalid') throw error;
    }
  }
  // Each is looked at by inference, once it knows it: it reads its list, or says what keeps it from that.
  for (const provider of taken) await eventually(() => isLookedAt(stack, provider));
  for (const provider of taken) await stack.call(liveProviderOperations.remove, { provider, by: 'proof' });
  return taken.length;
}

async function isLookedAt(stack: Stack, provider: string): Promise<boolean> {
  try {
    await stack.call(inferenceOperations.checkProviders, { provider });
    return true;
  } catch (error) {
    if (!(error instanceof ControlError)) throw error;
    return error.code === 'not_found' && !error.message.includes('has no provider');
  }
}

function chosen(urls: readonly string[], turn: number | null): readonly string[] {
  return turn === null ? urls : urls.filter((_, index) => Math.floor(index / 3) === turn % Math.ceil(urls.length / 3));
}

/** A live model of every dialect that providers speak, and one for embeddings. */
export async function modelPerDialect(stack: Stack): Promise<string[]> {
  const { models, providers, available } = await stack.call(catalogOperations.snapshot, {});
  const dialects = new Map(providers.map(({ id, dialect }) => [id, dialect]));
  const byDialect = new Map<string, string>();
  for (const { id, kind, deployments } of models) {
    const dialect = dialects.get(deployments[0]?.provider ?? '');
    if (dialect && available.includes(id)) byDialect.set(kind === 'embedding' ? 'embedding' : dialect, id);
  }
  return [...byDialect.values()];
}
