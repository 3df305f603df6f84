import { setTimeout as delay } from 'node:timers/promises';
import { seconds } from './step';
import type { Site, Step } from './step';
import { sayTraffic, underTraffic } from './traffic-proof';

export const scaling: Step = {
  name: 'inference: 3 instances, and back to one',
  async run({ installation, apiKey, perSecond, say }) {
    const traffic = await underTraffic(installation.baseUrl, apiKey, perSecond, async () => {
      say(`to 3 in ${seconds((await installation.follow('scale')).tookMs)}`);
      await expectRunning(installation, 'inference', 3);
      const back = await installation.run('docker compose up -d --no-recreate --wait');
      say(`back to 1 in ${seconds(back.tookMs)}`);
      await expectRunning(installation, 'inference', 1);
    });
    say(sayTraffic(traffic));
  },
};

export const replacing: Step = {
  name: 'every service replaced, one after the other',
  async run({ installation, apiKey, perSecond, say }) {
    const before = await containers(installation);
    const traffic = await underTraffic(installation.baseUrl, apiKey, perSecond, async () => {
      say(`replaced in ${seconds((await installation.follow('replace')).tookMs)}`);
    });
    const after = await containers(installation);
    if (after.some((id) => before.includes(id)) || after.length !== before.length)
      throw new Error(`not every instance was replaced: ${before.join()} became ${after.join()}`);
    say(sayTraffic(traffic));
  },
};

export const passwords: Step = {
  name: 'new passwords in Postgres',
  async run({ installation, apiKey, perSecond, say }) {
    const address = async () =>
      (await installation.run('docker compose exec -T accounts cat /secrets/database-url-accounts')).stdout;
    const before = await address();
    const traffic = await underTraffic(installation.baseUrl, apiKey, perSecond, async () => {
      say(`changed in ${seconds((await installation.follow('passwords')).tookMs)}`);
    });
    if ((await address()) === before) throw new Error('the password of accounts is the former one');
    say(sayTraffic(traffic));
  },
};

const rpm = 30;
const tries = 4;
const settleMs = 3_000;

export const edges: Step = {
  name: '3 edges that share their limits in Valkey',
  async run({ installation, say }) {
    say(`3 edges in ${seconds((await installation.follow('edges')).tookMs)}`);
    await expectRunning(installation, 'edge', 3);
    const ids = await installation.running('edge');
    for (const id of ids) if (!(await isSharing(installation, id))) throw new Error('not every edge shares its limits');
    await sayLimit(installation, say);
    say(`back to one edge in ${seconds((await installation.follow('up')).tookMs)}`);
    await expectRunning(installation, 'edge', 1);
    await installation.run('docker compose --profile edges rm -s -f valkey');
  },
};

/**
 * One limit over all edges. Never more; less only while an edge could not ask Valkey in time, which a busy machine does, and then the edges take shares of what is left: that is tried again.
 */
async function sayLimit(installation: Site['installation'], say: Site['say']): Promise<void> {
  for (let time = 1; ; time++) {
    const apiKey = await installation.createKey(rpm);
    const statuses = await Promise.all(Array.from({ length: 2 * rpm }, () => installation.status(apiKey)));
    const passed = statuses.filter((status) => status === 200).length;
    const refused = statuses.filter((status) => status === 429).length;
    say(`a key of ${rpm} requests a minute sent ${2 * rpm}: ${passed} passed, ${refused} got 429`);
    if (passed > rpm || passed + refused !== 2 * rpm) throw new Error(`the limit did not hold: ${statuses.join()}`);
    if (passed === rpm) return;
    if (time === tries) throw new Error('the edges did not use the whole limit, however often');
    await delay(settleMs);
  }
}

async function isSharing(installation: Site['installation'], id: string): Promise<boolean> {
  return /^edge_rate_limit_shared 1$/m.test(await installation.metrics(id, 9100));
}

async function expectRunning(installation: Site['installation'], service: string, count: number): Promise<void> {
  const running = await installation.running(service);
  if (running.length !== count) throw new Error(`${running.length} instances of ${service} run, not ${count}`);
}

const replaced = ['accounts', 'catalog', 'metering', 'inference', 'edge'];

async function containers(installation: Site['installation']): Promise<string[]> {
  return (await Promise.all(replaced.map((service) => installation.running(service)))).flat();
}
