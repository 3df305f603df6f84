import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { requireContext } from '../http/request-contexts';
import { GenerationEndpoint } from './generation-endpoint';
import { operations } from './operations';

/** Registers the endpoint of every operation. They answer on Node's own response: see GenerationEndpoint. */
export function addGenerationRoutes(app: NestFastifyApplication): void {
  const fastify = app.getHttpAdapter().getInstance();
  const endpoint = app.get(GenerationEndpoint);
  for (const operation of operations) {
    fastify.post(operation.path, (request, reply) => {
      void reply.hijack();
      void endpoint.handle(operation, request.raw, reply.raw, requireContext(request.raw));
    });
  }
}
