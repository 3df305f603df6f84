import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import type { Installation } from './installation';
import { shell } from './shell';
import { seconds } from './step';
import type { Step } from './step';
import { sayTraffic, underTraffic } from './traffic-proof';

/** Nobody notices the end of these: known keys go on. */
const unnoticed = ['accounts', 'catalog', 'metering', 'postgres'];
/** One of each runs here, so requests fail meanwhile; it must come back by itself. */
const noticed = ['inference', 'edge', 'nats', 'proxy', 'sandbox'];
const calmMs = 3_000;
const backWithinMs = 60_000;

export const killing: Step = {
  name: 'kill -9 of each container',
  async run({ installation, apiKey, perSecond, say }) {
    for (const service of unnoticed) {
      const traffic = await underTraffic(installation.baseUrl, apiKey, perSecond, async () => {
        await delay(calmMs);
        await kill(installation, service);
        await delay(calmMs);
      });
      say(`${service}: ${sayTraffic(traffic)}`);
    }
    for (const service of noticed) {
      await kill(installation, service);
      say(`${service}: a completion again after ${seconds(await goodAgain(installation, apiKey))}`);
    }
  },
};

const surfaces = [
  ['/v1/chat/completions', z.object({ error: z.object({ message: z.string(), type: z.string() }) })],
  ['/v1/messages', z.object({ type: z.literal('error'), error: z.object({ type: z.literal('overloaded_error') }) })],
] as const;

export const unanswered: Step = {
  name: 'no edge, told in the form of each surface',
  async run({ installation, say }) {
    await installation.run('docker compose stop edge');
    for (const [path, form] of surfaces) {
      const startedAt = Date.now();
      const response = await fetch(installation.baseUrl + path, { method: 'POST', body: '{}' });
      const text = await response.text();
      const told = Number(response.headers.get('retry-after'));
      if (response.status !== 503 || !(told > 0) || !form.safeParse(JSON.parse(text)).success)
        throw new Error(`${path}: ${response.status}, Retry-After ${told}, ${text}`);
      say(`${path}: 503 after ${seconds(Date.now() - startedAt)}, Retry-After ${told}`);
    }
    await installation.run('docker compose up -d --wait edge');
  },
};

/**
 * Ends its main process from outside, as the kernel does where memory is short: what Docker is asked to kill
 * it does not start again. Waits until the container runs again and is well.
 */
async function kill(installation: Installation, service: string): Promise<void> {
  const [id] = await installation.running(service);
  if (!id) throw new Error(`${service} does not run`);
  const ask = async (what: string) => (await installation.run(`docker inspect -f '{{${what}}}' ${id}`)).stdout.trim();
  const pid = await ask('.State.Pid');
  await shell(`kill -9 ${pid}`, '.', process.env);
  const until = Date.now() + backWithinMs;
  for (;;) {
    const state = await ask('.State.Status').catch(() => 'away');
    if (state === 'running' && (await ask('.State.Pid')) !== pid && (await ask('.State.Health.Status')) === 'healthy')
      return;
    if (Date.now() > until) throw new Error(`${service} did not come back: ${state}`);
    await delay(500);
  }
}

async function goodAgain(installation: Installation, apiKey: string): Promise<number> {
  const startedAt = Date.now();
  for (;;) {
    const status = await installation.status(apiKey).catch(() => 0);
    if (status === 200) return Date.now() - startedAt;
    if (Date.now() - startedAt > backWithinMs) throw new Error(`a completion is answered with ${status} still`);
    await delay(250);
  }
}
