import { nodeImage } from './stand-ins';
import { makeFirstAdministrator } from '../first-administrator';
import { seconds } from './step';
import type { Site, Step } from './step';

/** The size table of docs/operate.md says how much an image may hold above Node's own. */
const mostAboveBase = 60e6;

/** Made once, by variables; a second start changes nothing. */
export const unattended: Step = {
  name: 'an unattended first start',
  async run(site) {
    const { installation, say } = site;
    await installation.follow('wipe');
    const made = await installation.run('docker compose run --rm -T --no-deps cli keys make');
    const key = made.stdout.trim();
    const given = {
      TOLLGATE_INIT_ADMIN_EMAIL: 'operator@example.com',
      TOLLGATE_INIT_ADMIN_PASSWORD: 'a long enough password of an operator',
      TOLLGATE_INIT_ACCOUNT: 'Example',
      TOLLGATE_INIT_KEY: key,
    };
    say(`up in ${seconds((await installation.follow('up', given)).tookMs)}`);
    await installation.trustProxy();
    say(`a completion with the key that was given: ${(await installation.complete(key)).length} characters`);
    const accounts = async () => (await installation.run('docker compose run --rm -T cli accounts list --json')).stdout;
    const before = await accounts();
    if (!before.includes(given.TOLLGATE_INIT_ADMIN_EMAIL)) throw new Error(`no administrator was made: ${before}`);
    await installation.run('docker compose up -d --no-deps --force-recreate --wait accounts', given);
    if ((await accounts()) !== before) throw new Error(`a second start changed accounts: ${before}`);
    say('a second start with the same variables changed nothing');
    site.apiKey = key;
  },
};

const services = ['edge', 'inference', 'catalog', 'accounts', 'metering', 'sandbox'];

export const firstStart: Step = {
  name: 'build, start, first request',
  async run(site) {
    const { installation, say } = site;
    await installation.checkOut('HEAD');
    // What a proof left that was broken off has an administrator already.
    await installation.follow('wipe');
    say(await installation.preflight());
    say(`images built in ${seconds((await installation.follow('build')).tookMs)}`);
    say(`up and healthy in ${seconds((await installation.follow('up')).tookMs)}`);
    for (const service of services) await sayContainer(site, service);
    site.apiKey = await installation.createKey();
    await installation.trustProxy();
    const secret = await installation.run('docker compose exec -T accounts cat /secrets/bootstrap-secret');
    const { email } = await makeFirstAdministrator(installation.baseUrl, secret.stdout.trim());
    say(`the first administrator through HTTPS: ${email}`);
    say(`a completion through HTTPS: ${(await installation.complete(site.apiKey)).length} characters`);
    await expectOneCounted(site);
    say(`the dashboard through HTTPS: ${await dashboardFiles(installation.baseUrl)} files`);
  },
};

/** Size of the image, memory, and that it runs without root, healthy, on a read-only disk. */
async function sayContainer({ installation, say }: Site, service: string): Promise<void> {
  const [id] = await installation.running(service);
  if (!id) throw new Error(`${service} does not run`);
  const ask = async (command: string) => (await installation.run(command)).stdout.trim();
  const user = await ask(`docker exec ${id} id -u`);
  const health = await ask(`docker inspect -f '{{.State.Health.Status}} {{.HostConfig.ReadonlyRootfs}}' ${id}`);
  if (user === '0' || health !== 'healthy true')
    throw new Error(`${service}: user ${user}, healthy and read-only: ${health}`);
  const image = await ask(`docker image inspect -f '{{.Size}}' $(docker inspect -f '{{.Image}}' ${id})`);
  const base = Number(await ask(`docker image inspect -f '{{.Size}}' ${nodeImage()}`));
  const above = Number(image) - base;
  if (above > mostAboveBase) throw new Error(`the image of ${service} holds ${above} bytes above its base`);
  // An engine without cgroups does not know.
  const memory = await ask(`docker stats --no-stream --format '{{.MemUsage}}' ${id} || echo unknown`);
  say(
    `${service}: image ${(Number(image) / 1e6).toFixed(0)} MB, ${(above / 1e6).toFixed(0)} above its base, ${memory.split(' /')[0]} of memory, user ${user}, healthy, read-only`,
  );
}

/** @throws Error where the one completion that there was is counted in another way. */
async function expectOneCounted({ installation, say }: Site): Promise<void> {
  const [edge = ''] = await installation.running('edge');
  const figures = await installation.metrics(edge, 9100);
  const [, counted = 'not'] =
    /^edge_requests_total\{route="\/v1\/chat\/completions",status="200"\} (\d+)$/m.exec(figures) ?? [];
  if (counted !== '1') throw new Error(`one completion is counted ${counted} times`);
  say('it is counted once');
}

/** Fetches the page and all that it names, as a browser does. */
async function dashboardFiles(baseUrl: string): Promise<number> {
  const page = await fetched(`${baseUrl}/`);
  const named = [...page.matchAll(/(?:src|href)="(\/[^"]+)"/g)].map(([, path]) => path ?? '');
  if (!page.includes('<title>') || !named.some((path) => path.endsWith('.js')))
    throw new Error(`not the dashboard: ${page}`);
  for (const path of named) await fetched(baseUrl + path);
  return named.length + 1;
}

async function fetched(url: string): Promise<string> {
  const response = await fetch(url);
  const text = await response.text();
  if (!response.ok || text === '') throw new Error(`${url} was answered with ${response.status}`);
  return text;
}
