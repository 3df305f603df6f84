import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ScriptedUpstream } from '@tollgate/testing';
import { allListed, asked, cellOf } from '../prove/servers/ask-questions';
import { fileOf, keysOf } from '../prove/servers/gateway';
import type { AskedPlace } from '../prove/servers/gateway';
import { bearer } from '../prove/servers/own-server';
import { questions } from '../prove/servers/questions';
import { startRecordedServer } from '../prove/servers/recording/recorded-server';
import { isRecorded, readRecording } from '../prove/servers/recording/recording';
import { ownServers } from '../prove/servers/servers';
import { startTestStack } from './test-stack';
import type { TestStack } from './test-stack';

/**
 * The part of `npm run prove -- servers` that needs npm alone: what real servers answered is kept in
 * tools/prove/servers/recorded, and is answered again, directly and to the gateway. npm itself has no such
 * server: node-llama-cpp and llama.node are llama.cpp without its HTTP server, and others fetch theirs from
 * elsewhere.
 */
const servers = ownServers.flatMap((server) => {
  const recording = readRecording(server);
  return recording ? [{ server, recording }] : [];
});
const parts = servers.flatMap(({ server, recording }) =>
  server.parts.flatMap((part) => {
    const exchanges = recording.parts[part.model];
    return exchanges ? [{ server, part, exchanges, provider: `${server.id}-${part.model.replace(/\W/g, '-')}` }] : [];
  }),
);
const lines = parts.flatMap(({ server, part, provider }) =>
  part.questions.filter(isRecorded).map((name) => ({ provider, server: server.name, name })),
);

const folder = mkdtempSync(join(tmpdir(), 'tollgate-own-servers-'));
const running: ScriptedUpstream[] = [];
const places = new Map<string, AskedPlace>();
let test: TestStack;
let apiKey: string;

function placeOf(provider: string): AskedPlace {
  const place = places.get(provider);
  if (!place) throw new Error(`${provider} is not played`);
  return place;
}

beforeAll(async () => {
  for (const { server, part, exchanges, provider } of parts) {
    const upstream = await startRecordedServer(exchanges, server.key);
    running.push(upstream);
    places.set(provider, { server, part, provider, url: upstream.url });
  }
  const all = [...places.values()];
  const config = join(folder, 'tollgate.yaml');
  writeFileSync(config, fileOf(all));
  test = await startTestStack({
    environment: { TOLLGATE_SANDBOX: 'off', TOLLGATE_CONFIG: config, ...keysOf(all) },
  });
  const key = { name: 'own servers', plan: 'enterprise', rpm: null, quotaTokens: null } as const;
  apiKey = (await test.stack.createKey(key)).apiKey;
  await allListed(test.stack.baseUrl, apiKey, all);
});
afterAll(async () => {
  await test.stop();
  await Promise.all(running.map((upstream) => upstream.stop()));
  rmSync(folder, { recursive: true });
});

it('is played with the versions that the proof judges, llama.cpp and LiteLLM at the least', () => {
  expect(servers.map(({ server }) => server.id)).toEqual(expect.arrayContaining(['llama-cpp', 'litellm']));
  for (const { server, recording } of servers) expect(recording.package).toBe(server.packages[0]);
});

it.each(lines)('$server answers $name through the gateway as it did itself, and is booked so', async (line) => {
  const place = placeOf(line.provider);
  const problems = await asked(test.stack, place, line.name, apiKey);
  expect(cellOf(place.server, line.name, problems).named === null ? problems : []).toEqual([]);
});

it.each(lines.filter(({ name }) => name === 'too long'))(
  '$server’s full context is told by its reason, in the words that agents look for',
  async ({ provider }) => {
    const { part } = placeOf(provider);
    const response = await fetch(`${test.stack.baseUrl}/v1/chat/completions`, {
      method: 'POST',
      headers: { ...bearer(apiKey), 'content-type': 'application/json' },
      body: JSON.stringify({ ...questions['too long'].body, model: `${provider}/${part.model}` }),
    });
    const { error } = (await response.json()) as { error: object };
    expect(error).toMatchObject({
      code: 400,
      message: expect.stringContaining('maximum context length') as string,
      details: { reason: 'context_length_exceeded' },
    });
  },
);
