import { z } from 'zod';
import type { Installation } from './installation';
import type { Site, Step } from './step';

/** What each may read of the volume of secrets, and nothing else. */
const readable: Record<string, string[]> = {
  edge: ['key-pepper', 'key-pepper-previous', 'nats-edge'],
  inference: ['key-encryption-key', 'key-encryption-key-previous', 'nats-inference'],
  catalog: ['database-url-catalog', 'nats-catalog'],
  accounts: ['bootstrap-secret', 'database-url-accounts', 'key-pepper', 'key-pepper-previous', 'nats-accounts'],
  metering: ['database-url-metering', 'nats-metering'],
  postgres: ['postgres-accounts', 'postgres-catalog', 'postgres-metering', 'postgres-migrations', 'postgres-password'],
  nats: ['nats-passwords.conf'],
};
/** Packages of other services, which an image must not hold. */
const foreign = [
  ['edge', '@prisma'],
  ['edge', 'pg'],
  ['edge', '@smithy/signature-v4'],
  ['inference', '@prisma'],
  ['inference', 'ioredis'],
  ['metering', 'undici'],
  ['sandbox', 'nats'],
] as const;
/** The bit of NET_BIND_SERVICE in a set of capabilities. */
const bindPorts = 1n << 10n;

const inspected = z.tuple([
  z.object({
    Config: z.object({ User: z.string() }),
    HostConfig: z.object({
      ReadonlyRootfs: z.boolean(),
      SecurityOpt: z.array(z.string()),
      PidsLimit: z.number(),
      Memory: z.number(),
    }),
  }),
]);

export const hardening: Step = {
  name: 'what holds for every container',
  async run({ installation, say }) {
    for (const service of [...Object.keys(readable), 'proxy', 'sandbox']) await expectHard(installation, service);
    for (const [service, name] of foreign) {
      const found = await installation.run(
        `docker exec ${await only(installation, service)} sh -c 'ls -d node_modules/${name} 2>/dev/null; true'`,
      );
      if (found.stdout !== '') throw new Error(`the image of ${service} holds ${name}, which it never uses`);
    }
    say(`${Object.keys(readable).length + 2} containers: no root, no capability, a read-only disk, bounds`);
    const secrets = await allSecrets(installation);
    for (const [service, names] of Object.entries(readable)) {
      const seen = await readBy(installation, service, secrets);
      if (seen.join() !== names.join()) throw new Error(`${service} reads ${seen.join()}, not ${names.join()}`);
    }
    say(`of ${secrets.length} secrets each reads its own`);
    await expectWays(installation);
    say('no way out of edge, catalog, metering, Postgres and NATS; Postgres is reached by those who keep records');
    await expectOwnTables({ installation, say });
  },
};

/** Where clouds tell a machine about itself, with credentials. */
const metadata = '169.254.169.254';

/** Services with a way out, and with Node to try it. */
const fenced = ['inference', 'accounts'];

export const firewall: Step = {
  name: 'a firewall before private networks',
  async run({ installation, apiKey, say }) {
    const extra = installation.firewall();
    if (!extra) return say('NOT CHECKED: deploy/firewall.sh, which only root may run');
    const witness = await installation.outside();
    const isRefused = /^(10|192\.168|172\.(1[6-9]|2\d|3[01]))\./.test(witness);
    if (isRefused) await expectReach(installation, witness, publishedPort(installation), 'connect');
    else say(`NOT CHECKED: what was reached before, since ${witness}, this machine, is in no private network`);
    try {
      await installation.follow('firewall', extra);
      if (isRefused) {
        await expectReach(installation, witness, publishedPort(installation), 'error');
        say(`inference and accounts are refused by ${witness}, which they reached before`);
      }
      await expectReach(installation, metadata, 80, 'error');
      const { stdout } = await installation.run(`${extra['IPTABLES'] ?? 'iptables'} -nvxL TOLLGATE-OUT`);
      const [, refused = '0'] = /^ *(\d+) .* REJECT .* 169\.254\.0\.0\/16 /m.exec(stdout) ?? [];
      if (Number(refused) < fenced.length) throw new Error(`other than the firewall refuses ${metadata}: ${stdout}`);
      say(`the firewall refuses ${metadata} to inference and accounts (${refused} packets)`);
      say(`a completion: ${(await installation.complete(apiKey)).length} characters`);
    } finally {
      await installation.run('sh deploy/firewall.sh off', extra);
    }
  },
};

/** @throws Error where a server says anything else to what has a way out. */
async function expectReach(
  installation: Installation,
  host: string,
  port: number,
  expected: 'connect' | 'error',
): Promise<void> {
  for (const service of fenced) {
    const said = await reach(installation, service, host, port);
    if (said !== expected) throw new Error(`${service} at ${host}:${port}: ${said}, not ${expected}`);
  }
}

/** Ports 18080 and 18443 are published on every address of this machine: who has a way out reaches it there. */
function publishedPort(installation: Installation): number {
  return Number(new URL(installation.baseUrl).port);
}

/** What a container of a service hears from a server: `connect`, `error`, or `timeout`. */
async function reach(installation: Installation, service: string, host: string, port: number): Promise<string> {
  const id = await only(installation, service);
  return (await installation.run(`docker exec ${id} node -e '${connects(host, port)}'`)).stdout.trim();
}

/** @throws Error naming what is softer than docker-compose.yml says. */
async function expectHard(installation: Installation, service: string): Promise<void> {
  const id = await only(installation, service);
  const { stdout } = await installation.run(`docker inspect ${id}`);
  const [{ Config, HostConfig }] = inspected.parse(JSON.parse(stdout));
  const status = await installation.run(`docker exec ${id} cat /proc/1/status`);
  const [, user = '0'] = /^Uid:\t(\d+)/m.exec(status.stdout) ?? [];
  const [, capabilities = 'f'] = /^CapBnd:\t(\w+)/m.exec(status.stdout) ?? [];
  const isHard =
    user !== '0' &&
    BigInt(`0x${capabilities}`) === (service === 'proxy' ? bindPorts : 0n) &&
    HostConfig.ReadonlyRootfs &&
    HostConfig.SecurityOpt.some((option) => option.startsWith('no-new-privileges')) &&
    HostConfig.PidsLimit === 256 &&
    HostConfig.Memory > 0;
  if (!isHard)
    throw new Error(`${service}: user ${Config.User}, is ${user}, ${capabilities}, ${JSON.stringify(HostConfig)}`);
}

async function allSecrets(installation: Installation): Promise<string[]> {
  const { stdout } = await installation.run('docker compose run --rm -T --no-deps --entrypoint ls secrets /secrets');
  return stdout.split('\n').filter(Boolean).sort();
}

async function readBy(installation: Installation, service: string, secrets: readonly string[]): Promise<string[]> {
  const id = await only(installation, service);
  const { stdout } = await installation.run(
    `docker exec ${id} sh -c 'for name in ${secrets.join(' ')}; do head -c 1 /secrets/$name >/dev/null 2>&1 && echo $name; done; true'`,
  );
  return stdout.split('\n').filter(Boolean);
}

/** Node says in three seconds whether a server takes a connection. */
const connects = (host: string, port: number) =>
  `const socket = require("node:net").connect({ host: "${host}", port: ${port}, timeout: 3000 });
   for (const event of ["connect", "error", "timeout"]) socket.once(event, () => { console.log(event); process.exit(); });`;

async function expectWays(installation: Installation): Promise<void> {
  const gateway = await installation.outside();
  const published = publishedPort(installation);
  for (const [service, host, port, expected] of [
    ['inference', gateway, published, true],
    ['edge', gateway, published, false],
    ['catalog', gateway, published, false],
    ['metering', gateway, published, false],
    ['sandbox', gateway, published, false],
    ['metering', 'postgres', 5432, true],
    ['edge', 'postgres', 5432, false],
    ['inference', 'postgres', 5432, false],
    ['sandbox', 'postgres', 5432, false],
    ['edge', 'nats', 8222, false],
  ] as const)
    if (((await reach(installation, service, host, port)) === 'connect') !== expected)
      throw new Error(`${service} ${expected ? 'does not reach' : 'reaches'} ${host}:${port}`);
}

/** With the address that a service has, and the driver that its image has. */
const asked = (statement: string) =>
  `const { Client } = require("pg");
   const { readFileSync } = require("node:fs");
   const client = new Client({ connectionString: readFileSync(process.env.DATABASE_URL_FILE, "utf8") });
   client.connect().then(() => client.query("${statement}")).then(() => console.log("done"), ({ code }) => console.log(code)).then(() => client.end());`;

const denied = '42501';

async function expectOwnTables({ installation, say }: Pick<Site, 'installation' | 'say'>): Promise<void> {
  const cases = [
    ['accounts', 'SELECT FROM api_key LIMIT 1', 'done'],
    ['accounts', 'SELECT FROM usage_event LIMIT 1', denied],
    ['catalog', 'SELECT FROM api_key LIMIT 1', denied],
    ['metering', 'SELECT FROM price LIMIT 1', 'done'],
    ['metering', 'SELECT FROM session LIMIT 1', denied],
    ['metering', 'DELETE FROM price', denied],
    ['metering', 'DROP TABLE usage_event', denied],
  ] as const;
  for (const [service, statement, expected] of cases) {
    const id = await only(installation, service);
    const said = (await installation.run(`docker exec ${id} node -e '${asked(statement)}'`)).stdout.trim();
    if (said !== expected) throw new Error(`${service}: ${statement}: ${said}, not ${expected}`);
  }
  say('accounts, catalog and metering use their own tables; those of others are denied to them');
}

async function only(installation: Installation, service: string): Promise<string> {
  const [id] = await installation.running(service);
  if (!id) throw new Error(`${service} does not run`);
  return id;
}
