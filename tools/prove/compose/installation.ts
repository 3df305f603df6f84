import { chmodSync, cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Agent, setGlobalDispatcher } from 'undici';
import { z } from 'zod';
import { workspaceRoot } from '../../stack/workspace-root';
import { operateBlock } from './operate-docs';
import type { ProvenBlock } from './operate-docs';
import { shell } from './shell';
import type { ShellResult } from './shell';

/** Not the ports of an installation that may run on this machine. */
const httpPort = '18080';
const httpsPort = '18443';
const grafanaPort = '13000';
const built = ['edge', 'inference', 'catalog', 'accounts', 'metering', 'sandbox', 'cli'];

const imagePrefix = 'tollgate-proof';
const settleMs = 30_000;

const created = z.object({ apiKey: z.string() });
const completion = z.object({ choices: z.tuple([z.object({ message: z.object({ content: z.string().min(1) }) })]) });

const ledger = z.object({
  events: z.number(),
  inputTokens: z.number(),
  outputTokens: z.number(),
  costNanoUsd: z.string(),
});
type Ledger = z.infer<typeof ledger>;
const images = z.object({ services: z.record(z.string(), z.object({ image: z.string().optional() })) });

/**
 * A checkout of its own in a temporary folder, with images, containers and volumes of its own: nothing of
 * this machine's own installation is touched.
 */
export class Installation {
  readonly baseUrl = `https://localhost:${httpsPort}`;
  readonly folder = mkdtempSync(join(tmpdir(), 'tollgate-compose-'));
  readonly checkout = join(this.folder, 'checkout');
  private readonly environment: NodeJS.ProcessEnv;
  private oldImages: string[] = [];

  /** `isPodman`: docker-compose.yml is made to fit it. Every `project` uses the same images. */
  constructor(
    private readonly isPodman: boolean,
    readonly project = imagePrefix,
  ) {
    // The engine may be another user's.
    chmodSync(this.folder, 0o755);
    this.environment = {
      ...process.env,
      COMPOSE_PROJECT_NAME: this.project,
      COMPOSE_FILE: 'docker-compose.yml',
      TOLLGATE_IMAGES: `${imagePrefix}/`,
      TOLLGATE_VERSION: 'latest',
      TOLLGATE_HTTP_PORT: httpPort,
      TOLLGATE_HTTPS_PORT: httpsPort,
      TOLLGATE_PUBLIC_URL: this.baseUrl,
      GRAFANA_PORT: grafanaPort,
    };
  }

  /**
   * Lays out a commit of this repository, as a branch behind the newest one, so that `git pull` has something
   * to bring.
   */
  async checkOut(commit: string): Promise<void> {
    const origin = join(this.folder, 'origin.git');
    const here = { ...process.env };
    await shell(
      `rm -rf "${origin}" "${this.checkout}"
       git init -q --bare -b main "${origin}"
       git push -q "${origin}" HEAD:refs/heads/main
       git clone -q "${origin}" "${this.checkout}"
       git -C "${this.checkout}" reset -q --hard ${commit}`,
      workspaceRoot,
      here,
    );
    if (this.isPodman) this.fitPodman();
  }

  /** As on another machine: a checkout of the same commit, with what a person brings there, and no volumes. */
  async another(...brought: string[]): Promise<Installation> {
    const other = new Installation(this.isPodman, `${this.project}-moved`);
    await shell(`git clone -q "${this.checkout}" "${other.checkout}"`, this.folder, process.env);
    if (this.isPodman) other.fitPodman();
    for (const name of brought)
      cpSync(join(this.checkout, name), join(other.checkout, name), { recursive: true, force: true });
    return other;
  }

  /** Lays out another commit in the place of the one that is there. */
  async switchTo(commit: string): Promise<void> {
    await this.run(`git reset -q --hard ${commit}`);
    if (this.isPodman) this.fitPodman();
  }

  /** As its commit says it, started from nothing, whatever was left behind. */
  async beginAnew(): Promise<void> {
    await this.switchTo('HEAD');
    await this.run('docker compose --profile "*" down -v --remove-orphans');
    await this.follow('up');
    await this.trustProxy();
  }

  /** Removes what belongs to this project alone, and leaves the images. */
  async removeContainers(): Promise<void> {
    await this.run('docker compose --profile "*" down -v --remove-orphans');
    rmSync(this.folder, { recursive: true, force: true });
  }

  /** What the preflight says. */
  async preflight(): Promise<string> {
    if (this.isPodman) return 'NOT CHECKED: the preflight, which asks for the engine of Docker';
    return (await this.follow('preflight')).stdout.trim();
  }

  /** What deploy/firewall.sh needs beside a root; null where there is none. */
  firewall(): NodeJS.ProcessEnv | null {
    if (process.getuid?.() !== 0) return null;
    return this.isPodman ? { IPTABLES: 'docker unshare --rootless-netns iptables' } : {};
  }

  /** An address of this machine by which who has a way out of the containers' networks reaches it. */
  async outside(): Promise<string> {
    const ask = this.isPodman ? 'hostname -I' : "docker network inspect bridge -f '{{(index .IPAM.Config 0).Gateway}}'";
    const [address = ''] = (await this.run(ask)).stdout.trim().split(' ');
    return address;
  }

  /**
   * Runs a script of a reader of the docs. Podman builds one image after the other, so that they share their
   * layers.
   */
  run(script: string, extra: NodeJS.ProcessEnv = {}): Promise<ShellResult> {
    const build = built.map((name) => `docker build --layers --target ${name} -t ${this.imageOf(name)} . </dev/null`);
    const fitting = this.isPodman ? script.replace('docker compose --profile cli build', build.join('\n')) : script;
    return shell(fitting, this.checkout, { ...this.environment, ...extra });
  }

  /** Runs a block of docs/operate.md. */
  follow(block: ProvenBlock, extra: NodeJS.ProcessEnv = {}): Promise<ShellResult> {
    return this.run(operateBlock(block), extra);
  }

  async createKey(rpm = 1_000_000, extra: NodeJS.ProcessEnv = {}): Promise<string> {
    const { stdout } = await this.run(
      `docker compose run --rm -T cli keys create --name proof --plan enterprise --rpm ${rpm} --json`,
      extra,
    );
    return created.parse(JSON.parse(stdout.slice(stdout.indexOf('{\n')))).apiKey;
  }

  /** Believes the proxy's own authority and those given (PEM), and none else, from now on. */
  async trustProxy(...others: string[]): Promise<void> {
    const { stdout } = await this.run('docker compose exec -T proxy cat /data/caddy/pki/authorities/local/root.crt');
    setGlobalDispatcher(new Agent({ connect: { ca: [stdout, ...others] }, connections: 200 }));
  }

  /** The text of an answer, through the proxy's HTTPS unless another address is given. */
  async complete(apiKey: string, baseUrl = this.baseUrl): Promise<string> {
    const response = await this.ask(apiKey, baseUrl);
    const text = await response.text();
    if (!response.ok) throw new Error(`a completion was answered with ${response.status}: ${text}`);
    return completion.parse(JSON.parse(text)).choices[0].message.content;
  }

  /** The status of a completion. */
  async status(apiKey: string): Promise<number> {
    const response = await this.ask(apiKey);
    await response.text();
    return response.status;
  }

  /**
   * What `usage recount` says once no more usage comes.
   * @throws Error when the reports do not equal the events.
   */
  async recount(): Promise<Ledger> {
    const until = Date.now() + settleMs;
    let last = '';
    for (;;) {
      const { stdout } = await this.run('docker compose run --rm -T cli usage recount --json');
      if (last === stdout) return ledger.parse(JSON.parse(stdout));
      if (last !== '' && Date.now() > until) throw new Error(`usage still comes: ${stdout}`);
      last = stdout;
      await delay(1_000);
    }
  }

  metrics(container: string, port: number): Promise<string> {
    return this.fetchFrom(container, `http://127.0.0.1:${port}/metrics`);
  }

  /** Fetches from within a container of ours. */
  async fetchFrom(container: string, url: string): Promise<string> {
    const program = `fetch("${url}").then((r) => r.text()).then((text) => process.stdout.write(text))`;
    return (await this.run(`docker exec ${container} node -e '${program}'`)).stdout;
  }

  /** The images of the old release are removed at the end, too. */
  async rememberImages(): Promise<void> {
    const { stdout } = await this.run(
      `docker image inspect -f '{{.Id}}' ${built.map((name) => this.imageOf(name)).join(' ')}`,
    );
    this.oldImages = stdout.split('\n').filter(Boolean);
  }

  async running(service: string): Promise<string[]> {
    const { stdout } = await this.run(`docker compose ps -q --status running ${service}`);
    return stdout.split('\n').filter(Boolean);
  }

  async stopAndForget(keep: boolean): Promise<void> {
    if (keep) return;
    await this.run('docker compose --profile "*" down -v --remove-orphans');
    await this.run(`docker image rm -f ${[...built.map((name) => this.imageOf(name)), ...this.oldImages].join(' ')}`);
    rmSync(this.folder, { recursive: true, force: true });
  }

  /**
   * Podman's names drop a question now and then while containers come and go, and who asks waits five seconds
   * before the next try.
   */
  private fitPodman(): void {
    const file = join(this.checkout, 'docker-compose.yml');
    const text = readFileSync(file, 'utf8').replaceAll(/^ *start_interval:.*\n/gm, '');
    writeFileSync(file, text.replace(/^( *)pids_limit: .*$/m, "$&\n$1dns_opt: ['timeout:1', 'attempts:5']"));
  }

  private ask(apiKey: string, baseUrl = this.baseUrl): Promise<Response> {
    return fetch(`${baseUrl}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'openai/gpt-5.4-mini', messages: [{ role: 'user', content: 'Hello' }] }),
    });
  }

  /** The image of a server in docker-compose.yml. */
  async imageIn(service: string): Promise<string> {
    const { stdout } = await this.run("docker compose --profile '*' config --format json");
    return images.parse(JSON.parse(stdout)).services[service]?.image ?? '';
  }

  imageOf(name: string): string {
    return `${imagePrefix}/tollgate-${name}:latest`;
  }
}
