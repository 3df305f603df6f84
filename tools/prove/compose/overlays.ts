import { copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { connect } from 'node:tls';
import type { Installation } from './installation';
import { operateBlock } from './operate-docs';
import { expectRunning, isSharing } from './scaling';
import { shell } from './shell';
import { seconds } from './step';
import type { Step } from './step';
import { sayTraffic, underTraffic } from './traffic-proof';

/** What stands in `.env` where these files of deploy/compose are laid over docker-compose.yml. */
const over = (...names: string[]) => ({
  COMPOSE_FILE: ['docker-compose.yml', ...names.map((name) => `deploy/compose/${name}.yml`)].join(':'),
});
const up = 'docker compose up -d --wait --remove-orphans';

/** As docs/cluster.md says it: nothing may wait in a store that is left behind. */
async function stopAndDrain(installation: Installation, from: NodeJS.ProcessEnv): Promise<void> {
  await installation.run('docker compose stop edge\ndocker compose stop inference', from);
  await installation.run('docker compose run --rm -T cli usage drain', from);
}

async function moveUsage(installation: Installation, from: NodeJS.ProcessEnv, to: NodeJS.ProcessEnv): Promise<number> {
  const startedAt = Date.now();
  await stopAndDrain(installation, from);
  await installation.run(up, to);
  return Date.now() - startedAt;
}

export const threeNats: Step = {
  name: 'three NATS servers: there, each upgraded, new passwords, and back',
  async run({ installation, apiKey, perSecond, say }) {
    const three = over('nats-cluster');
    say(`moved in ${seconds(await moveUsage(installation, {}, three))}`);
    const { stdout } = await installation.run('docker compose run --rm -T cli status', three);
    const [copies] = /\d+ of \d+ copies/.exec(stdout) ?? [];
    if (copies !== '3 of 3 copies') throw new Error(`usage is not kept three times: ${stdout}`);
    say(copies);
    for (const node of ['nats-3', 'nats-2', 'nats']) {
      const traffic = await underTraffic(installation.baseUrl, apiKey, perSecond, async () => {
        await installation.run(`docker compose up -d --no-deps --force-recreate --wait ${node}`, three);
      });
      say(`${node} upgraded: ${sayTraffic(traffic)}`);
    }
    const rotated = await underTraffic(installation.baseUrl, apiKey, perSecond, async () => {
      const ofOne = operateBlock('nats');
      const ofAll = ofOne.replace('kill -s HUP nats', 'kill -s HUP nats nats-2 nats-3');
      if (ofAll === ofOne) throw new Error(`not told to read again: ${ofOne}`);
      await installation.run(ofAll, three);
    });
    say(`new passwords in all of them: ${sayTraffic(rotated)}`);
    say(`back to one in ${seconds(await moveUsage(installation, three, {}))}`);
    say(`usage recount: ${JSON.stringify(await installation.recount())}`);
  },
};

const edgePort = '18081';

export const ownProxy: Step = {
  name: 'a proxy of one’s own',
  async run({ installation, apiKey, say }) {
    await installation.run('docker compose rm -s -f proxy');
    await installation.run(up, { ...over('own-proxy'), EDGE_PORTS: edgePort });
    const baseUrl = `http://127.0.0.1:${edgePort}`;
    say(`a completion at ${baseUrl}: ${(await installation.complete(apiKey, baseUrl)).length} characters`);
    if ((await installation.running('proxy')).length > 0) throw new Error('the proxy of this installation runs still');
    await installation.run(up);
  },
};

/** Where the journal of a machine takes lines. */
const journalSocket = '/run/systemd/journal/socket';

export const journal: Step = {
  name: 'logs in the journal of the machine',
  async run({ installation, apiKey, say }) {
    if (!existsSync(journalSocket)) return say('NOT CHECKED: this machine has no journal');
    await installation.run(up, over('journald'));
    say(`a completion: ${(await installation.complete(apiKey)).length} characters`);
    for (const service of ['edge', 'postgres', 'proxy']) {
      const [id = ''] = await installation.running(service);
      const ask = `journalctl -q --no-pager -o cat CONTAINER_ID_FULL="$(docker inspect -f '{{.Id}}' ${id})"`;
      const lines = (await installation.run(ask)).stdout.trim().split('\n');
      if (lines.join('') === '') throw new Error(`${service} writes nothing to the journal`);
      say(`${service}: ${lines.length} lines in the journal, the last one ${lines.at(-1)?.slice(0, 80)}`);
    }
    await installation.run(up);
  },
};

/** A certificate for localhost in the folder, in the place of what was there. */
async function makeCertificate(folder: string): Promise<string> {
  await shell(
    `openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=localhost \
      -addext subjectAltName=DNS:localhost -keyout tls.key -out tls.crt 2>&1
     chmod a+r tls.key`,
    folder,
    process.env,
  );
  return readFileSync(join(folder, 'tls.crt'), 'utf8');
}

/** The certificate that a new connection to the proxy gets, PEM without its frame. */
function servedCertificate(baseUrl: string): Promise<string> {
  const { hostname, port } = new URL(baseUrl);
  return new Promise((resolve, reject) => {
    const socket = connect({ host: hostname, port: Number(port), servername: hostname, rejectUnauthorized: false });
    socket.once('error', reject);
    socket.once('secureConnect', () => {
      resolve(socket.getPeerCertificate().raw.toString('base64'));
      socket.destroy();
    });
  });
}

export const ownCertificate: Step = {
  name: 'a certificate of one’s own, and a new one',
  async run({ installation, apiKey, perSecond, say }) {
    const folder = join(installation.folder, 'certificates');
    mkdirSync(folder);
    const environment = { ...over('own-certificate'), TOLLGATE_CERTIFICATES: folder };
    const former = await makeCertificate(folder);
    await installation.run(up, environment);
    await installation.trustProxy(former);
    const isServed = async (certificate: string) =>
      certificate.replaceAll('\n', '').includes(await servedCertificate(installation.baseUrl));
    if (!(await isServed(former))) throw new Error('the proxy shows another certificate');
    const renewed = await makeCertificate(folder);
    await installation.trustProxy(former, renewed);
    const traffic = await underTraffic(installation.baseUrl, apiKey, perSecond, async () => {
      say(`read again in ${seconds((await installation.follow('certificate', environment)).tookMs)}`);
    });
    if (!(await isServed(renewed))) throw new Error('the proxy shows the former certificate');
    say(sayTraffic(traffic));
    await installation.run(up);
    await installation.trustProxy();
    say(`back, a completion: ${(await installation.complete(apiKey)).length} characters`);
  },
};

export const compact: Step = {
  name: 'those that keep records as one container, and back',
  async run({ installation, apiKey, say }) {
    const environment = over('compact');
    const { events } = await installation.recount();
    const built = await installation.run(
      `docker build --target records -t ${installation.imageOf('records')} . </dev/null`,
    );
    say(`built in ${seconds(built.tookMs)}`);
    say(`up in ${seconds((await installation.follow('compact', environment)).tookMs)}`);
    await expectRunning(installation, 'accounts', 1);
    for (const service of ['catalog', 'metering']) await expectRunning(installation, service, 0);
    say(`a completion with the old key: ${(await installation.complete(apiKey)).length} characters`);
    const { stdout } = await installation.run('docker compose run --rm -T cli status', environment);
    say(stdout.trim().split('\n').at(0) ?? '');
    const replaced = await installation.run('sh deploy/replace.sh accounts', environment);
    say(`replaced in ${seconds(replaced.tookMs)}: ${(await installation.complete(apiKey)).length} characters`);
    await installation.run(up);
    for (const service of ['accounts', 'catalog', 'metering']) await expectRunning(installation, service, 1);
    const after = await installation.recount();
    if (after.events !== events + 2) throw new Error(`${after.events} events, not ${events} and two more`);
    say(`back: ${JSON.stringify(after)}`);
  },
};

const password = 'made-up-for-the-proof-alone';
const names = { postgres: 'postgres.own.example', nats: 'nats.own.example', valkey: 'valkey.own.example' };
const overlays = over('outside-postgres', 'outside-nats', 'outside-valkey');

export const outsideServers: Step = {
  name: 'Postgres, NATS and Valkey of one’s own',
  async run({ installation, apiKey, say }) {
    const { folder, project } = installation;
    const own = await makeNatsFolder(installation, join(folder, 'own')).catch((error: unknown) => {
      say(`NOT CHECKED: ${error instanceof Error ? error.message : String(error)}`);
      return null;
    });
    if (!own) return;
    const environment = {
      ...overlays,
      DATABASE_URL: `postgresql://tollgate:${password}@${names.postgres}:5432/tollgate`,
      NATS_URL: `tls://${names.nats}:4222`,
      NATS_CA_FILE: join(own, 'nats.pem'),
      NATS_REPLICAS: '1',
      VALKEY_URL: `redis://${names.valkey}:6379`,
    };
    await stopAndDrain(installation, {});
    await installation.run('docker compose rm -s -f postgres nats');
    try {
      await startServers(installation, own);
      say(`up in ${seconds((await installation.run(up, environment)).tookMs)}`);
      for (const service of ['postgres', 'nats'])
        if ((await installation.running(service)).length > 0) throw new Error(`${service} of this installation runs`);
      const key = await installation.createKey(60, environment);
      say(`a completion by a key of that database: ${(await installation.complete(key)).length} characters`);
      const { stdout } = await installation.run('docker compose run --rm -T cli status', environment);
      if (!stdout.includes('1 of 1 copies')) throw new Error(`status: ${stdout}`);
      const [edge = ''] = await installation.running('edge');
      if (!(await isSharing(installation, edge)))
        throw new Error('edge does not count its limits in the Valkey that it was given');
    } finally {
      await installation.run(
        `docker rm -f ${Object.keys(names)
          .map((name) => `${project}-own-${name}`)
          .join(' ')}`,
      );
    }
    await installation.run(up);
    say(`back, a completion with the old key: ${(await installation.complete(apiKey)).length} characters`);
  },
};

/**
 * What docs/cluster.md puts onto a machine of NATS: configuration, users, their passwords, a certificate of
 * its name.
 * @throws Error without openssl
 */
async function makeNatsFolder(installation: Installation, folder: string): Promise<string> {
  const conf = join(folder, 'deploy', 'nats');
  mkdirSync(conf, { recursive: true });
  mkdirSync(join(folder, 'secrets'));
  for (const name of ['nats-server.conf', 'users.conf'])
    copyFileSync(join(installation.checkout, 'deploy/nats', name), join(conf, name));
  writeFileSync(
    join(conf, 'own.conf'),
    `include nats-server.conf
server_name: own
client_advertise: "${names.nats}:4222"
tls { cert_file: "/own/nats.pem", key_file: "/own/nats.key" }
`,
  );
  const printed = await installation.run(
    'docker compose run --rm -T --no-deps --entrypoint cat secrets /secrets/nats-passwords.conf',
  );
  writeFileSync(join(folder, 'secrets', 'nats-passwords.conf'), printed.stdout);
  await shell(
    `openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=${names.nats} \
      -addext subjectAltName=DNS:${names.nats} -keyout nats.key -out nats.pem 2>&1
     chmod a+r nats.key`,
    folder,
    process.env,
  );
  return folder;
}

/** In the network that the overlays give to those who need the servers. */
async function startServers(installation: Installation, own: string): Promise<void> {
  const { project } = installation;
  const network = `${project}_servers`;
  await installation.run(
    `docker network inspect ${network} >/dev/null 2>&1 ||
     docker network create --label com.docker.compose.project=${project} --label com.docker.compose.network=servers ${network}`,
  );
  const start = (name: keyof typeof names, options: string, image: string, command = '') =>
    installation.run(
      `docker run -d --name ${project}-own-${name} --network ${network} --network-alias ${names[name]} ${options} ${image} ${command}`,
    );
  writeFileSync(join(own, 'postgres-password'), password);
  const account = `-e POSTGRES_USER=tollgate -e POSTGRES_DB=tollgate -e POSTGRES_PASSWORD_FILE=/own/postgres-password`;
  await start('postgres', `${account} -v ${own}:/own:ro`, await installation.imageIn('postgres'));
  const mounted = `-v ${own}:/own:ro --tmpfs /data`;
  await start('nats', mounted, await installation.imageIn('nats'), '--config /own/deploy/nats/own.conf');
  await start('valkey', '', await installation.imageIn('valkey'), 'valkey-server --save "" --protected-mode no');
}
