import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { surfaces } from '@tollgate/dialects/surface';
import { requireContext } from '../http/request-contexts';
import { GenerationEndpoint } from './generation-endpoint';

/** Registers the endpoint of every surface. They answer on Node's own response: see GenerationEndpoint. */
export function addGenerationRoutes(app: NestFastifyApplication): void {
  const fastify = app.getHttpAdapter().getInstance();
  const endpoint = app.get(GenerationEndpoint);
  for (const surface of surfaces) {
    fastify.post(surface.path, (request, reply) => {
      void reply.hijack();
      void endpoint.handle(surface, request.raw, reply.raw, requireContext(request.raw));
    });
  }
}
