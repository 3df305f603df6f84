import { NestFactory } from '@nestjs/core';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { NatsGenerationClient, tellInstance, UsagePublisher } from '@tollgate/messaging';
import { createTracer, InternalServer, missingParts, toNestLogger, Tracer } from '@tollgate/observability';
import type { Logger } from '@tollgate/observability';
import type { NatsConnection } from 'nats';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { LeaseKeeper } from './admission/lease-keeper';
import { KeyDirectory } from './callers/key-directory';
import { subscribeToKeys } from './callers/key-notices';
import { CatalogFeed } from './catalog/catalog-feed';
import { ContentLogging } from './content-log/content-logging';
import { servePages } from './dashboard/pages/serve-pages';
import { serveDashboardApi } from './dashboard/serve-dashboard-api';
import { EdgeModule } from './edge.module';
import { AllowedMethods } from './errors/allowed-methods';
import { ErrorFilter } from './errors/error.filter';
import { addGenerationRoutes } from './generation/generation-routes';
import { OpenGenerations } from './generation/open-generations';
import { EdgeMetrics } from './health/edge-metrics';
import { Readiness } from './health/readiness';
import { addCors } from './http/cors';
import { addRequestHooks } from './http/request-hooks';
import { ResponseHeaders } from './http/response-headers';
import { serverOptions } from './http/server-options';
import { UnusedConnections } from './http/unused-connections';
import { MessagingLink } from './messaging-link';
import { addOpenApi } from './openapi/openapi-routes';
import { BackgroundWorks } from './responses/background/background-works';
import { remakeResponses } from './generation/remake-responses';
import { Settings } from './settings';

const drainPollMs = 50;
/** Whoever opened a connection before a stop and sends nothing for so long has not much to say. */
const unusedPatienceMs = 3_000;
/** How long usage events and logged requests may take to be stored at the very end. */
const flushMs = 10_000;

/** A running edge. `port` and `internalPort` are those it listens on. */
export class Edge {
  private constructor(
    readonly app: NestFastifyApplication,
    readonly port: number,
    readonly internalPort: number,
    private readonly internal: InternalServer,
    private readonly unused: UnusedConnections,
    private readonly settings: Settings,
  ) {}

  /** Starts an edge on an open connection, which stays the caller's to close. */
  static async start(settings: Settings, connection: NatsConnection, logger: Logger): Promise<Edge> {
    const tracer = await createTracer('edge', settings.tracing);
    const app = await NestFactory.create<NestFastifyApplication>(
      EdgeModule.on(settings, connection, logger, tracer),
      new FastifyAdapter(serverOptions(settings)),
      { bodyParser: false, logger: toNestLogger(logger) },
    );
    const methods = new AllowedMethods();
    addRequestHooks(app, methods);
    addCors(app);
    app.useGlobalFilters(new ErrorFilter(methods, logger));
    addGenerationRoutes(app, methods);
    serveDashboardApi(app, logger);
    servePages(app);
    if (settings.docs) addOpenApi(app);
    watchServices(app, connection, logger);
    const server = app.getHttpServer();
    server.maxConnections = settings.maxConnections;
    const unused = new UnusedConnections(server);
    await app.listen(settings.port, settings.host);
    const internal = new InternalServer(app.get(EdgeMetrics).registry, app.get(Readiness).checks);
    const internalPort = await internal.listen(settings.internalPort, settings.internalHost);
    const { port } = server.address() as AddressInfo;
    return new Edge(app, port, internalPort, internal, unused, settings);
  }

  /** True once the catalog is known and NATS connected. */
  async isReady(): Promise<boolean> {
    return (await missingParts(this.app.get(Readiness).checks)).length === 0;
  }

  /**
   * Says that it is not ready, and for a grace still takes what comes, each answer ending its connection: load balancers and callers leave before nobody
   * listens any more. Then it takes no new connections, finishes what runs, gives leases back and has all usage stored. Then it is gone.
   */
  async stop(): Promise<void> {
    this.app.get(ResponseHeaders).isStopping = true;
    await sleep(this.settings.stopGraceMs);
    this.app.get(CatalogFeed).stop();
    const works = this.app.get(BackgroundWorks);
    works.drain();
    const generations = this.app.get(OpenGenerations);
    const server = this.app.getHttpServer();
    server.close();
    const closedAtMs = performance.now();
    const giveUpAtMs = closedAtMs + this.settings.drainMs;
    while ((generations.count > 0 || (await countConnections(server)) > 0) && performance.now() < giveUpAtMs) {
      server.closeIdleConnections();
      if (performance.now() > closedAtMs + unusedPatienceMs) this.unused.close();
      await sleep(drainPollMs);
    }
    works.handOver();
    generations.cancelAll();
    await works.close(flushMs);
    await this.app
      .get(LeaseKeeper)
      .close()
      .catch(() => undefined);
    const usage = this.app.get(UsagePublisher);
    await Promise.all([usage.flush(flushMs), this.app.get(ContentLogging).close(flushMs)]);
    usage.close();
    this.app.get(NatsGenerationClient).close();
    server.closeAllConnections();
    await this.app.close();
    await this.app.get(Tracer).shutdown();
    await this.internal.close();
  }
}

function countConnections(server: Server): Promise<number> {
  return new Promise((resolve) => server.getConnections((error, count) => resolve(error ? 0 : count)));
}

/** Connects what the other services tell to the parts that need it. */
function watchServices(app: NestFastifyApplication, connection: NatsConnection, logger: Logger): void {
  const directory = app.get(KeyDirectory);
  const generations = app.get(OpenGenerations);
  const feed = app.get(CatalogFeed);
  const link = app.get(MessagingLink);
  directory.onChange = (digest, key) => generations.keyChanged(digest, key);
  directory.onMissed = () => {
    for (const digest of generations.digests()) void Promise.resolve(directory.find(digest)).catch(() => undefined);
  };
  subscribeToKeys(connection, directory, logger);
  link.onLost = () => directory.disconnected();
  link.onRestored = () => feed.refresh();
  feed.start(connection);
  app.get(LeaseKeeper).start();
  tellInstance(connection, 'edge');
  remakeResponses(app);
}
