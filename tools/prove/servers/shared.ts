import { mkdtempSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { eventually, freePort } from '@tollgate/testing';
import type { Say } from '../proof';
import { withStack } from '../with-stack';
import { bearer, runPython, RunningServer, scriptFile } from './own-server';
import { llamaCpp } from './kinds/llama-cpp';

/** What was seen of one request: milliseconds to the first piece of its answer, and tokens of its prompt. */
interface Turn {
  firstMs: number;
  prompt: number;
  cached: number;
}

interface Message {
  role: 'user' | 'assistant';
  content: string;
}

/** Where a request goes: an address with a key (null: none), and a model's name there. */
interface Place {
  url: string;
  key: string | null;
  model: string;
}

/** An odd number: in turn, each conversation comes to the other server with its next request. */
const conversations = 7;
const turnsOfEach = 6;
const atOnce = 2;
const rounds = 2;
const slots = 4;
/** How many requests of others one server has all the time: more than it has slots. */
const strangers = 6;
const newcomers = 6;
const listedWithinMs = 15_000;

/**
 * Measures two llama.cpp behind one name, with a real stack: conversations that stay at their server against
 * those that change it with each request, and new conversations while somebody else keeps one server busy. It
 * tells what it saw, and judges nothing.
 */
export async function measureShared(say: Say): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'tollgate-shared-'));
  const servers: RunningServer[] = [];
  try {
    for (const name of ['left', 'right']) servers.push(await started(name, folder));
    const [left = '', right = ''] = servers.map(({ url }) => url);
    const config = join(folder, 'tollgate.yaml');
    writeFileSync(config, fileOf(left, right));
    const environment = { TOLLGATE_SANDBOX: 'off', TOLLGATE_CONFIG: config };
    await withStack({ durable: false, onProgress: say, environment }, async (stack) => {
      const { apiKey } = await stack.createKey({ name: 'shared', plan: 'enterprise', rpm: null, quotaTokens: null });
      await eventually(async () => {
        const response = await fetch(`${stack.baseUrl}/v1/models`, { headers: bearer(apiKey) });
        return (await response.text()).includes('"home/both-mute"');
      }, listedWithinMs);
      const at = (model: string): Place => ({ url: stack.baseUrl, key: apiKey, model: `home/${model}` });
      await measureTurns(at, say);
      await measureNewcomers(at, { url: left, key: null, model: 'tiny' }, say);
    });
  } finally {
    await Promise.all(servers.map((server) => server.stop()));
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Two servers, and the same again as if they told nothing of their load. */
function fileOf(left: string, right: string): string {
  const both = (mute: string) =>
    `  - { id: home/both${mute}, provider: left${mute}, deployments: [{ provider: left${mute}, upstreamModel: tiny, weight: 1 }, { provider: right${mute}, upstreamModel: tiny, weight: 1 }] }`;
  return `providers:
  - { id: left, preset: llama-cpp, baseUrl: '${left}' }
  - { id: right, preset: llama-cpp, baseUrl: '${right}' }
  - { id: left-mute, preset: llama-cpp, baseUrl: '${left}', loadMetrics: [] }
  - { id: right-mute, preset: llama-cpp, baseUrl: '${right}', loadMetrics: [] }
models:
  - { id: home/left, provider: left, upstreamModel: tiny }
  - { id: home/right, provider: right, upstreamModel: tiny }
${both('')}
${both('-mute')}
`;
}

async function started(name: string, folder: string): Promise<RunningServer> {
  const installed = await llamaCpp.install();
  const work = join(folder, name);
  mkdirSync(work);
  const site = { installed, work, port: await freePort(), others: new Map<string, string>() };
  const model = join(work, 'tiny.gguf');
  await runPython(installed, work, 'make_model.py', ['llama', model]);
  const args = [scriptFile('llama_server.py'), model, 'tiny', String(site.port), String(slots)];
  const server = new RunningServer({ program: join(installed, 'bin/python'), args }, site, 'tiny', null);
  await server.start();
  return server;
}

async function measureTurns(at: (model: string) => Place, say: Say): Promise<void> {
  const stays: Turn[] = [];
  const changes: Turn[] = [];
  let count = 0;
  const inTurn = () => at(count++ % 2 === 0 ? 'left' : 'right');
  for (let round = 0; round < rounds; round++) {
    stays.push(...(await talks(`stays ${round}`, () => at('both'))));
    changes.push(...(await talks(`changes ${round}`, inTurn)));
  }
  say(`second and later turns, each conversation at its server: ${told(stays)}`);
  say(`second and later turns, servers in turn: ${told(changes)}`);
}

/**
 * Plays the conversations, so many at once, a turn of each after the other. Returns all turns but the first.
 */
async function talks(name: string, placeFor: () => Place): Promise<Turn[]> {
  const all = Array.from({ length: conversations }, (_, index): Message[] => [
    { role: 'user', content: `Conversation ${index} of those that ${name}. ${prose(index, 250)}` },
  ]);
  const seen: Turn[] = [];
  for (let turn = 0; turn < turnsOfEach; turn++) {
    for (let first = 0; first < all.length; first += atOnce) {
      const asked = await Promise.all(all.slice(first, first + atOnce).map((messages) => ask(placeFor(), messages)));
      if (turn > 0) seen.push(...asked);
    }
    for (const [index, messages] of all.entries())
      messages.push(
        { role: 'assistant', content: 'The river keeps what the mountain gives.' },
        { role: 'user', content: prose(index + turn, 60) },
      );
  }
  return seen;
}

async function measureNewcomers(at: (model: string) => Place, busy: Place, say: Say): Promise<void> {
  const isOver = new AbortController();
  const others = Array.from({ length: strangers }, async () => {
    while (!isOver.signal.aborted)
      await ask(busy, [{ role: 'user', content: 'Please say endless words.' }], 600).catch(() => delay(100));
  });
  try {
    for (const [model, what] of [
      ['both-mute', 'by what we have there'],
      ['both', 'by what the servers tell, too'],
    ] as const) {
      // Servers are asked from the first request on.
      await ask(at(model), [{ role: 'user', content: 'Hello?' }]);
      await delay(2_500);
      const seen: Turn[] = [];
      for (let index = 0; index < newcomers; index++)
        seen.push(
          await ask(at(model), [{ role: 'user', content: `Newcomer ${index} of ${model}. ${prose(index, 60)}` }]),
        );
      say(`new conversations while somebody else keeps one server busy, ${what}: ${told(seen)}`);
    }
  } finally {
    isOver.abort();
    await Promise.all(others);
  }
}

/** Asks for a stream and reads it to its end. @throws Error for a refusal. */
async function ask({ url, key, model }: Place, messages: readonly Message[], most = 8): Promise<Turn> {
  const begunMs = performance.now();
  const response = await fetch(`${url}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...bearer(key) },
    body: JSON.stringify({ model, messages, max_tokens: most, stream: true, stream_options: { include_usage: true } }),
    signal: AbortSignal.timeout(120_000),
  });
  if (!response.ok || !response.body) throw new Error(`${response.status}: ${await response.text()}`);
  let firstMs: number | null = null;
  let text = '';
  const decoder = new TextDecoder();
  for await (const bytes of response.body) {
    text += decoder.decode(bytes as Uint8Array, { stream: true });
    if (firstMs === null && /"content":"[^"]/.test(text)) firstMs = performance.now() - begunMs;
  }
  const count = (name: string) => Number(new RegExp(`"${name}":(\\d+)`).exec(text)?.[1] ?? 0);
  return {
    firstMs: firstMs ?? performance.now() - begunMs,
    prompt: count('prompt_tokens'),
    cached: count('cached_tokens'),
  };
}

function told(seen: readonly Turn[]): string {
  const sorted = seen.map(({ firstMs }) => firstMs).toSorted((one, other) => one - other);
  const at = (share: number) => Math.round(sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0);
  const sum = (field: 'prompt' | 'cached') => seen.reduce((total, turn) => total + turn[field], 0);
  const cached = sum('prompt') === 0 ? 0 : Math.round((100 * sum('cached')) / sum('prompt'));
  const load = loadavg()[0]?.toFixed(1);
  return `first piece after ${at(0.5)} ms (median), ${at(0.9)} ms (nine of ten); ${cached} % of the prompts from the cache; ${seen.length} requests, load ${load}`;
}

/** So many different words. */
function prose(seed: number, words: number): string {
  const some = ['river', 'mountain', 'keeps', 'gives', 'water', 'stone', 'snow', 'light', 'wind'];
  return Array.from({ length: words }, (_, at) => some[(seed * 7 + at * (seed + 3)) % some.length]).join(' ');
}
