import type { NestFastifyApplication } from '@nestjs/platform-fastify';

const modelNames = ['sandbox-small', 'sandbox-large'];
const firstModelMadeAt = 1_700_000_000;

/** Registers the list of models. https://platform.openai.com/docs/api-reference/models/list */
export function addModelsRoute(app: NestFastifyApplication): void {
  const server = app.getHttpAdapter().getInstance();
  server.get('/openai-chat/models', () => ({
    object: 'list',
    data: modelNames.map((id) => ({ id, object: 'model', created: firstModelMadeAt, owned_by: 'sandbox' })),
  }));
}
