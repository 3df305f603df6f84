import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { openApiDocument } from './openapi-document';

/**
 * Serves the public contract at /openapi.json, made when it is first asked for; people browse it at /docs, a
 * page of the dashboard.
 */
export function addOpenApi(app: NestFastifyApplication): void {
  let text: string | undefined;
  app
    .getHttpAdapter()
    .getInstance()
    .get('/openapi.json', (_request, reply) =>
      reply.type('application/json').send((text ??= JSON.stringify(openApiDocument()))),
    );
}
