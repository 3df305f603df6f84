import type { Operation } from '@tollgate/contracts';
import { accountsOperations } from '@tollgate/contracts/accounts';
import { mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { NatsUserName } from '@tollgate/messaging';
import { freePort } from '@tollgate/testing';
import type { z } from 'zod';
import { callControl } from './control';
import type { NewKey, NewKeyRequest } from './control';
import { askedPorts, planInstances } from './instance-plans';
import { migrateFirst } from './migrate-first';
import { Reaper } from './reaper';
import type { ReapedProcess } from './reaper';
import { keptSecret } from './secrets';
import { startServers } from './servers';
import type { Servers } from './servers';
import { processEnvironment, processScript, withLittleMemory } from './service-plan';
import type { InstancePlan, ServiceName, StackAddresses } from './service-plan';
import { ServiceProcess } from './service-process';
import { StackError } from './stack-error';
import type { StackOptions } from './stack-options';
import type { ProcessListener, StackProcess } from './stack-process';
import { workspaceRoot } from './workspace-root';

/** A Tollgate with all its services and the servers under them. Made by `startStack`. */
export class Stack {
  readonly dataFolder: string;
  private readonly processByName = new Map<string, StackProcess>();
  private readonly services: ServiceProcess[] = [];
  private readonly reaper: Reaper;
  private plans: InstancePlan[] = [];
  private servers: Servers | null = null;
  /** Pending while Postgres and NATS start. */
  private starting: Promise<Servers> | null = null;
  private stopping: Promise<void> | null = null;
  private readonly listener: ProcessListener = {
    changed: () => this.processesChanged(),
    crashed: (message) => this.progress(message),
  };

  constructor(private readonly options: StackOptions) {
    this.dataFolder = resolve(options.dataFolder);
    mkdirSync(join(this.dataFolder, 'logs'), { recursive: true });
    this.reaper = new Reaper(join(this.dataFolder, 'processes'));
  }

  /** The address of the first edge. */
  get baseUrl(): string {
    return this.urlOf('edge') ?? '';
  }

  /** Where people find the dashboard. */
  get publicUrl(): string {
    return (this.options.publicUrl ?? this.baseUrl).replace(/\/+$/, '');
  }

  /** Whoever holds it may make the first administrator. */
  get bootstrapSecret(): string {
    return this.options.bootstrapSecret ?? keptSecret(join(this.dataFolder, 'bootstrap-secret'));
  }

  /** The addresses of all edges. */
  get baseUrls(): string[] {
    return this.plans.filter(({ service }) => service === 'edge').map(({ port }) => `http://127.0.0.1:${port}`);
  }

  /** The simulated providers; null when they do not run. */
  get sandboxUrl(): string | null {
    return this.urlOf('sandbox');
  }

  /** For administration: with the operator's name and password. */
  get natsUrl(): string {
    return this.natsUrlOf('operator');
  }

  /** The address of NATS, with that user's name and password. */
  natsUrlOf(user: NatsUserName): string {
    return this.servers?.natsUrls[user] ?? '';
  }

  get databaseUrl(): string {
    return this.servers?.databaseUrl ?? '';
  }

  /** Every process by its name: `edge`, `edge-2`, `inference`, …, `nats`, `postgres`. */
  get processes(): ReadonlyMap<string, StackProcess> {
    return this.processByName;
  }

  /** The process of that name. Throws for one that does not exist. */
  process(name: string): StackProcess {
    const process = this.processByName.get(name);
    if (!process)
      throw new StackError(`There is no process ${name}; there are ${[...this.processByName.keys()].join(', ')}.`);
    return process;
  }

  /** Makes an API key through the accounts service. */
  createKey(request: NewKeyRequest): Promise<NewKey> {
    return this.call(accountsOperations.createKey, request);
  }

  /** Calls a control operation. Throws ControlError when its service refuses or does not answer. */
  call<Request extends z.ZodType, Reply extends z.ZodType>(
    operation: Operation<Request, Reply>,
    request: z.input<Request>,
  ): Promise<z.output<Reply>> {
    return callControl({ url: this.natsUrl, ca: this.options.natsCa }, operation, request);
  }

  /** Starts everything and waits until all of it is ready. */
  async start(): Promise<void> {
    this.plans = await planInstances(this.options);
    const asked = askedPorts(this.options);
    const natsPort = this.options.natsPort ?? (await freePort(asked));
    const postgresPort = this.options.postgresPort ?? (await freePort(asked));
    this.starting = startServers(
      { ...this.options, dataFolder: this.dataFolder, natsPort, postgresPort },
      this.listener,
    );
    this.servers = await this.starting;
    if (this.stopping) throw new StackError('The start was broken off.');
    for (const server of this.servers?.processes ?? []) this.processByName.set(server.name, server);
    this.processesChanged();
    this.progress('Postgres and NATS are ready.');
    // What is prepared has its tables.
    if (this.options.layout === 'compact' && !this.options.prepared) await this.migrate();
    if (this.stopping) throw new StackError('The start was broken off.');
    for (const name of new Set(this.plans.map(({ process }) => process)))
      this.startProcess(
        name,
        this.plans.filter(({ process }) => process === name),
      );
    await Promise.all(this.services.map((service) => this.announceReady(service)));
  }

  /** Stops everything, in order: services, then NATS, then Postgres. Safe to call more than once. */
  stop(): Promise<void> {
    this.stopping ??= this.stopAll();
    return this.stopping;
  }

  private progress(line: string): void {
    this.options.onProgress?.(line);
  }

  /** Tells the reaper what runs. */
  private processesChanged(): void {
    const list = (group: ReapedProcess['group'], signal: ReapedProcess['signal'], processes: StackProcess[]) =>
      processes.flatMap(({ pid }) => (pid === null ? [] : [{ group, signal, pid }]));
    // INT is the fast shutdown of Postgres, and an orderly one of nats-server.
    this.reaper.write([
      ...list('service', 'TERM', this.services),
      ...list('server', 'INT', this.servers?.processes ?? []),
    ]);
    this.options.onChange?.();
  }

  private urlOf(service: ServiceName): string | null {
    const plan = this.plans.find((one) => one.service === service);
    return plan ? `http://127.0.0.1:${plan.port}` : null;
  }

  private async migrate(): Promise<void> {
    const { PATH, HOME } = process.env;
    const { DATABASE_DIRECT_URL } = this.options.environment ?? {};
    const problem = await migrateFirst({ PATH, HOME, DATABASE_URL: this.databaseUrl, DATABASE_DIRECT_URL });
    if (problem !== null) this.progress(`The tables are left to the services: ${problem}`);
  }

  private startProcess(name: string, plans: readonly InstancePlan[]): void {
    const { PATH, HOME } = process.env;
    const common = { PATH, HOME, ...this.options.environment };
    const environment = processEnvironment(plans, (plan) => this.addressesFor(plan), common);
    const service = new ServiceProcess(
      {
        name,
        script: processScript(this.options.bundles ?? workspaceRoot, plans),
        node: this.options.node,
        cwd: workspaceRoot,
        environment: this.options.layout === 'compact' ? withLittleMemory(name, environment) : environment,
        logFile: join(this.dataFolder, 'logs', `${name}.log`),
      },
      plans.map(({ internalPort }) => `http://127.0.0.1:${internalPort}`),
      this.listener,
    );
    this.services.push(service);
    this.processByName.set(name, service);
    service.start();
  }

  private addressesFor({ service, name }: InstancePlan): StackAddresses {
    const { databaseUrl, sandboxUrl, bootstrapSecret, publicUrl } = this;
    return {
      natsUrl: service === 'sandbox' ? '' : (this.options.natsUrls?.[name] ?? this.natsUrlOf(service)),
      natsCa: this.options.natsCa ?? null,
      databaseUrl,
      sandboxUrl,
      pepper: this.options.pepper ?? keptSecret(join(this.dataFolder, 'key-pepper')),
      keyEncryptionKey: this.options.keyEncryptionKey ?? keptSecret(join(this.dataFolder, 'key-encryption-key')),
      bootstrapSecret,
      publicUrl,
      journalFolder: join(this.dataFolder, 'usage-journal'),
    };
  }

  private async announceReady(service: ServiceProcess): Promise<void> {
    const startedAt = Date.now();
    await service.ready();
    this.progress(`${service.name} is ready (${((Date.now() - startedAt) / 1000).toFixed(1)} s).`);
  }

  private async stopAll(): Promise<void> {
    const servers = await this.starting?.catch(() => null);
    await Promise.all(this.services.map((service) => service.stop()));
    for (const server of servers?.processes ?? []) await server.stop();
    this.reaper.dismiss();
  }
}

/**
 * Starts the whole stack; the services must have been built (see `buildServices`).
 * @throws StackError, after everything that had started was stopped again.
 */
export async function startStack(options: StackOptions): Promise<Stack> {
  const stack = new Stack(options);
  try {
    await stack.start();
    return stack;
  } catch (error) {
    await stack.stop();
    throw error;
  }
}
