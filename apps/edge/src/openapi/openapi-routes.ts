import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { SwaggerModule } from '@nestjs/swagger';
import { openApiDocument } from './openapi-document';

/**
 * Serves the public contract: /openapi.json, and /docs to browse it, all from here: no page of ours loads
 * anything from elsewhere.
 */
export function addOpenApi(app: NestFastifyApplication): void {
  const fastify = app.getHttpAdapter().getInstance();
  fastify.addHook('onSend', (request, reply, payload, done) => {
    if (request.url.startsWith('/docs')) void reply.header('content-security-policy', pagePolicy);
    done(null, payload);
  });
  SwaggerModule.setup('docs', app, openApiDocument, {
    jsonDocumentUrl: 'openapi.json',
    customSiteTitle: 'Tollgate API',
    swaggerOptions: { validatorUrl: null, persistAuthorization: false },
  });
}

/** Swagger UI styles itself inline. */
const pagePolicy =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'self'; frame-ancestors 'none'";
