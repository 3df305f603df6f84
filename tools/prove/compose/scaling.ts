import { setTimeout as delay } from 'node:timers/promises';
import type { ProvenBlock } from './operate-docs';
import { seconds } from './step';
import type { Site, Step } from './step';
import { sayTraffic, underTraffic } from './traffic-proof';

export const scaling: Step = {
  name: 'inference: 3 instances, and back to one; two of each that keeps records, and back',
  async run({ installation, apiKey, perSecond, say }) {
    const back = 'docker compose up -d --no-recreate --wait';
    const traffic = await underTraffic(installation.baseUrl, apiKey, perSecond, async () => {
      say(`to 3 in ${seconds((await installation.follow('scale')).tookMs)}`);
      await expectRunning(installation, 'inference', 3);
      say(`back to 1 in ${seconds((await installation.run(back)).tookMs)}`);
      await expectRunning(installation, 'inference', 1);
      const kept = ['accounts', 'catalog', 'metering'];
      await installation.run(`${back} ${kept.map((service) => `--scale ${service}=2`).join(' ')}`);
      for (const service of kept) await expectRunning(installation, service, 2);
      await installation.run(back);
      for (const service of kept) await expectRunning(installation, service, 1);
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

/**
 * New secrets by a block of the docs; `file`, as the service reads it, must be another one afterwards. The
 * traffic has a key of its own: whatever step came before, its limit fits.
 */
function rotation(name: string, block: ProvenBlock, service: string, file: string): Step {
  return {
    name,
    async run({ installation, apiKey: former, perSecond, say }) {
      const read = async () =>
        (await installation.run(`docker compose exec -T ${service} cat /secrets/${file}`)).stdout;
      const before = await read();
      const apiKey = await installation.createKey();
      const traffic = await underTraffic(installation.baseUrl, apiKey, perSecond, async () => {
        say(`changed in ${seconds((await installation.follow(block)).tookMs)}`);
      });
      if ((await read()) === before) throw new Error(`${file} is as it was`);
      say(sayTraffic(traffic));
      say(`a completion with an older key: ${(await installation.complete(former)).length} characters`);
    },
  };
}

export const passwords = rotation('new passwords in Postgres', 'passwords', 'accounts', 'database-url-accounts');
export const natsPasswords = rotation('new passwords in NATS', 'nats', 'edge', 'nats-edge');
const newPepper = rotation('a new pepper', 'pepper', 'edge', 'key-pepper');

export const pepper: Step = {
  name: 'a new pepper, and the former one forgotten',
  async run(site) {
    const { installation, say } = site;
    const unused = await installation.createKey();
    await newPepper.run(site);
    await installation.follow('forget');
    say(`a completion with a key that was used since: ${(await installation.complete(site.apiKey)).length} characters`);
    const status = await installation.status(unused);
    if (status !== 401) throw new Error(`a key under the forgotten pepper is answered with ${status}`);
    say('a key that was not is unknown');
  },
};

const rpm = 30;
const tries = 4;
const settleMs = 3_000;

export const edges: Step = {
  name: '3 edges that share their limits in Valkey, and back to one',
  async run({ installation, apiKey, perSecond, say }) {
    const there = await underTraffic(installation.baseUrl, apiKey, perSecond, async () => {
      say(`3 edges in ${seconds((await installation.follow('edges')).tookMs)}`);
      await expectRunning(installation, 'edge', 3);
    });
    say(sayTraffic(there));
    const ids = await installation.running('edge');
    for (const id of ids) if (!(await isSharing(installation, id))) throw new Error('not every edge shares its limits');
    await sayLimit(installation, say);
    const back = await underTraffic(installation.baseUrl, apiKey, perSecond, async () => {
      say(`back to one edge in ${seconds((await installation.follow('single')).tookMs)}`);
      await expectRunning(installation, 'edge', 1);
    });
    say(sayTraffic(back));
    await installation.run('docker compose --profile edges rm -s -f valkey');
  },
};

/**
 * One limit over all edges. Never more; less only while an edge could not ask Valkey in time, which a busy
 * machine does, and then the edges take shares of what is left: that is tried again.
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

/** Whether this edge counts its limits in a Valkey with others. */
export async function isSharing(installation: Site['installation'], id: string): Promise<boolean> {
  return /^edge_rate_limit_shared 1$/m.test(await installation.metrics(id, 9100));
}

/** @throws Error where another number of instances runs. */
export async function expectRunning(installation: Site['installation'], service: string, count: number): Promise<void> {
  const running = await installation.running(service);
  if (running.length !== count) throw new Error(`${running.length} instances of ${service} run, not ${count}`);
}

const replaced = ['accounts', 'catalog', 'metering', 'inference', 'edge'];

async function containers(installation: Site['installation']): Promise<string[]> {
  return (await Promise.all(replaced.map((service) => installation.running(service)))).flat();
}
