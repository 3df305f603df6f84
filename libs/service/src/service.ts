import type {
  DynamicModule,
  INestApplication,
  INestApplicationContext,
  NestApplicationOptions,
  OnApplicationShutdown,
  Type,
} from '@nestjs/common';
import { ModulesContainer, NestFactory } from '@nestjs/core';
import type { MicroserviceOptions } from '@nestjs/microservices';
import type { ConfiguredService } from '@tollgate/configuration';
import { connectToNats, ControlClient, controlServerOptions, Echo, tellInstance } from '@tollgate/messaging';
import { createLogger, InternalServer, serviceRegistry, toNestLogger, type Logger } from '@tollgate/observability';
import type { NatsConnection } from 'nats';
import { setTimeout as sleep } from 'node:timers/promises';
import { injected } from './injected';
import { PeriodicWork } from './periodic-work';
import type { ServiceSettings } from './service-settings';

/** The connections of a service to Postgres, as its classes ask for them. */
interface Storage extends OnApplicationShutdown {
  /** Whether Postgres answers now. */
  answers(): Promise<boolean>;
}

/** What listens for those who ask a service, and its classes. */
interface Listener {
  readonly app: INestApplicationContext;
  /** The classes begin; then it is open. */
  readonly listen: () => Promise<unknown>;
}

/**
 * An HTTP server for callers, made and not open yet. `app.close()` closes it, after what runs was finished.
 */
export interface HttpListener extends Listener {
  readonly app: INestApplication;
}

/** What makes a service different from the others. */
export interface ServiceDefinition<Settings extends ServiceSettings> {
  /** Who it is: in its log, to NATS, and as the queue group of its operations. */
  readonly name: ConfiguredService;
  /**
   * Reads the environment, the process's own where none is given.
   * @throws EnvironmentError naming every variable at fault.
   */
  readonly settings: new (environment?: NodeJS.ProcessEnv) => Settings;
  /**
   * The classes of the service. Made before anything is waited for: this is where a file of the operator's is
   * read.
   * @throws TollgateFileError
   */
  readonly module: (settings: Settings, logger: Logger) => Type | DynamicModule | Promise<DynamicModule>;
  /**
   * Makes the HTTP server of a service for callers out of its classes, with these options of Nest. Absent:
   * others ask it over NATS, by the operations of its controllers.
   */
  readonly http?: (root: DynamicModule, options: NestApplicationOptions, settings: Settings) => Promise<HttpListener>;
  /**
   * Brings the database to the newest schema, for as long as it takes. Absent: the service starts without
   * Postgres.
   */
  readonly migrate?: (databaseUrl: string, onWaiting: (reason: Error) => void) => Promise<unknown>;
  /**
   * The class that holds the connections to Postgres. Made first, so that `postgres` of /readyz is told
   * whatever a start waits for.
   */
  readonly storage?: new (settings: Settings) => Storage;
  /**
   * What /readyz asks for besides `started`, `nats` and `postgres`. Asked from the moment that the classes
   * are made.
   */
  readonly checks?: Readonly<Record<string, (classes: INestApplicationContext) => boolean | Promise<boolean>>>;
}

/**
 * One instance of a service, from its settings to its end.
 *
 * Start: health and metrics (not ready yet), migrations, NATS, the classes, their `onModuleInit` and
 * `onApplicationBootstrap`, then the operations are served, or the HTTP server of a service for callers is
 * open.
 *
 * Stop, in this order:
 * 1. /readyz says no, and stays reachable to the very end.
 * 2. The queue group of the operations is left; those that run have half a second.
 * 3. `onModuleDestroy`: nothing new is begun, timers end.
 * 4. `beforeApplicationShutdown`: what runs is finished, with everything it needs still there. Then the HTTP
 *    server is gone, where there is one.
 * 5. `onApplicationShutdown`: connections of one's own (databases) are closed.
 * 6. NATS is closed, then health and metrics.
 *
 * What fails on the way is logged, and keeps no other part from being finished and closed. Each hook has one
 * turn.
 */
export class Service<Settings extends ServiceSettings> {
  readonly logger: Logger;
  private readonly registry = serviceRegistry();
  private readonly internal: InternalServer;
  private connection: NatsConnection | undefined;
  private echo: Echo | undefined;
  private app: INestApplicationContext | undefined;
  private readonly storage: Storage | undefined;
  private state: 'starting' | 'started' | 'stopping' = 'starting';
  /** Ends the wait for NATS. */
  private readonly waiting = new AbortController();
  /** What failed while the instance stopped. */
  private readonly failures: unknown[] = [];

  constructor(
    private readonly definition: ServiceDefinition<Settings>,
    readonly settings: Settings,
  ) {
    this.logger = createLogger(definition.name, settings.logLevel);
    const storage = definition.storage && new definition.storage(settings);
    this.storage = storage;
    const own = Object.entries(definition.checks ?? {}).map(
      ([name, check]) => [name, () => this.app !== undefined && check(this.app)] as const,
    );
    this.internal = new InternalServer(this.registry, {
      started: () => this.state === 'started',
      nats: () => this.hearsNats(),
      ...(storage && { postgres: () => !this.isStopping && storage.answers() }),
      ...Object.fromEntries(own),
    });
  }

  /**
   * Resolves with the port of health and metrics when the instance works; waits for NATS, and for the
   * Postgres it needs, as long as it takes.
   * @throws TollgateFileError and whatever else keeps it from ever working.
   */
  async start(): Promise<number> {
    const { definition, settings, logger } = this;
    const module = await definition.module(settings, logger);
    const internalPort = await this.internal.listen(settings.internalPort, settings.internalHost);
    await definition.migrate?.(settings.directDatabaseUrl ?? settings.databaseUrl, (err) =>
      logger.warn({ err }, 'Postgres cannot be used yet; trying again'),
    );
    if (this.isStopping) return internalPort;
    this.connection = await this.reachNats();
    if (!this.connection) return internalPort;
    this.echo = new Echo(this.connection, logger);
    tellInstance(this.connection, definition.name);
    const given = [
      settings,
      this.registry,
      this.echo,
      new ControlClient(this.connection),
      new PeriodicWork(logger),
      ...(this.storage ? [this.storage] : []),
    ];
    const root = { module: Root, imports: [injected(logger, this.connection, given), module] };
    const listener = await this.listenerOf(root, this.connection);
    this.app = listener.app;
    this.keepHooksApart(this.app);
    if (this.isStopping) {
      await this.app.close();
      return internalPort;
    }
    await this.begin(listener);
    if (this.isStopping) return internalPort;
    this.state = 'started';
    logger.info('ready');
    return internalPort;
  }

  private async listenerOf(root: DynamicModule, connection: NatsConnection): Promise<Listener> {
    const { definition, settings } = this;
    const options = { logger: toNestLogger(this.logger), abortOnError: false };
    if (definition.http) return definition.http(root, options, settings);
    const operations = { ...controlServerOptions(definition.name, connection), ...options };
    const app = await NestFactory.createMicroservice<MicroserviceOptions>(root, operations);
    return { app, listen: () => app.listen() };
  }

  /**
   * Resolves when the server knows of the subscriptions, which listen() only sends.
   * @throws what a class cannot begin with, unless a stop came.
   */
  private async begin({ app, listen }: Listener): Promise<void> {
    try {
      await listen();
      // A stop came while the classes began: what listens since then is nobody's.
      if (this.isStopping) return await app.close();
      await this.connection?.flush();
    } catch (error) {
      if (!this.isStopping) throw error;
    }
  }

  /** False: NATS is away or silent, or all comes twice. The connection itself goes on trying. */
  private hearsNats(): boolean | Promise<boolean> {
    const { connection, echo } = this;
    if (!connection || connection.isClosed() || echo?.isDoubled) return false;
    const answered = connection.rtt().then(
      () => true,
      () => false,
    );
    return Promise.race([answered, sleep(natsAnswerMs, false, { ref: false })]);
  }

  /** One of the classes, by itself. @throws Error when the instance has not come so far. */
  get<Class>(type: Type<Class>): Class {
    if (!this.app) throw new Error('The service has not made its classes yet.');
    return this.app.get(type);
  }

  /** True from the first call of stop() on. */
  get isStopping(): boolean {
    return this.state === 'stopping';
  }

  /**
   * Takes no more questions, finishes what runs, and closes everything, once health and metrics answer; a
   * start that still waits comes to nothing.
   * @throws AggregateError at the end, of what failed; everything else is finished and closed by then.
   */
  async stop(): Promise<void> {
    this.state = 'stopping';
    this.waiting.abort();
    if (this.app) await this.attempt(() => this.app?.close());
    else await this.attempt(() => this.storage?.onApplicationShutdown());
    await this.attempt(() => this.connection?.close());
    await this.attempt(() => this.internal.close());
    if (this.failures.length > 0)
      throw new AggregateError(this.failures, 'Not everything could be finished and closed.');
  }

  /**
   * Nest ends a stop at the first hook that throws; here the other hooks of controllers and providers, and
   * the other phases, have their turn.
   */
  private keepHooksApart(app: INestApplicationContext): void {
    for (const { controllers, providers } of app.get(ModulesContainer).values())
      for (const { instance } of [...controllers.values(), ...providers.values()])
        for (const name of hooksOfStop) {
          const hooks = instance as Hooks | null | undefined;
          const hook = hooks?.[name];
          if (!hooks || typeof hook !== 'function') continue;
          // What began to listen while a stop was under way is closed by a second one.
          let turn: Promise<void> | undefined;
          hooks[name] = () => (turn ??= this.attempt(() => hook.call(hooks)));
        }
  }

  /** Undefined: the stop came first. */
  private async reachNats(): Promise<NatsConnection | undefined> {
    const { definition, settings, logger, waiting } = this;
    try {
      const nats = { ...settings.nats, name: definition.name, logger };
      const connection = await connectToNats({ ...nats, signal: waiting.signal });
      if (!this.isStopping) return connection;
      await connection.close();
    } catch (error) {
      if (!this.isStopping) throw error;
    }
    return undefined;
  }

  private async attempt(work: () => unknown): Promise<void> {
    try {
      await work();
    } catch (err) {
      this.failures.push(err);
      this.logger.error({ err }, 'something could not be finished or closed');
    }
  }
}

/** How long NATS may take to answer an instance that says it is ready. */
const natsAnswerMs = 500;

const hooksOfStop = ['onModuleDestroy', 'beforeApplicationShutdown', 'onApplicationShutdown'] as const;
type Hooks = Partial<Record<(typeof hooksOfStop)[number], () => unknown>>;

class Root {}
