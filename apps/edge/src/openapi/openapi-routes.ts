import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { SwaggerModule } from '@nestjs/swagger';
import { openApiDocument } from './openapi-document';

/** Serves the public contract at /openapi.json; people browse it at /docs, a page of the dashboard. */
export function addOpenApi(app: NestFastifyApplication): void {
  SwaggerModule.setup('openapi', app, openApiDocument, {
    ui: false,
    raw: ['json'],
    jsonDocumentUrl: 'openapi.json',
  });
}
