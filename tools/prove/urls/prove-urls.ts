import { catalogOperations } from '@tollgate/contracts';
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
  const proof: UrlProof = { requests: 0, models: 0, byStatus: {}, connections: 0, failures: [] };
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
  listener.close();
  return proof;
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
