import type { DynamicModule, NestApplicationOptions } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { HttpListener } from '@tollgate/service';
import { servePages } from '../dashboard/pages/serve-pages';
import { serveDashboardApi } from '../dashboard/serve-dashboard-api';
import { ErrorFilter } from '../errors/error.filter';
import { addGenerationRoutes } from '../generation/generation-routes';
import { addOpenApi } from '../openapi/openapi-document';
import { ResponsesSockets } from '../responses/socket/responses-sockets';
import type { Settings } from '../settings';
import { addCors } from './cors';
import { addRequestHooks } from './request-hooks';
import { serverOptions } from './server-options';
import { takeUpgrades } from './upgrades';

/**
 * Edge's HTTP server, with every route on it. Hooks of requests come first: Fastify gives them to the routes
 * that are added later only.
 */
export async function edgeHttp(
  root: DynamicModule,
  options: NestApplicationOptions,
  settings: Settings,
): Promise<HttpListener> {
  const adapter = new FastifyAdapter(serverOptions(settings));
  const app = await NestFactory.create<NestFastifyApplication>(root, adapter, { ...options, bodyParser: false });
  addRequestHooks(app);
  addCors(app);
  app.useGlobalFilters(app.get(ErrorFilter));
  addGenerationRoutes(app);
  const sockets = app.get(ResponsesSockets);
  takeUpgrades(app.getHttpServer(), settings.tls !== null, (...asked) => sockets.take(...asked));
  serveDashboardApi(app);
  servePages(app);
  if (settings.docs) addOpenApi(app);
  return { app, listen: () => app.listen(settings.port, settings.host) };
}
