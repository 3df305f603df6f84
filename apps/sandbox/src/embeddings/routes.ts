import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { z } from 'zod';
import { embedAsCohere, embedAsGemini, embedAsOpenai } from './embed';

const embedders: Readonly<Record<string, (body: unknown) => object>> = {
  '/openai-chat/embeddings': embedAsOpenai,
  '/gemini/models/:call(^[^/]+:batchEmbedContents$)': embedAsGemini,
  '/cohere/embed': embedAsCohere,
};

/** Registers the simulated endpoints for embeddings: plain answers, always the same for the same text, without controls or ledger. */
export function addEmbeddingRoutes(app: NestFastifyApplication): void {
  const server = app.getHttpAdapter().getInstance();
  for (const [path, embed] of Object.entries(embedders)) {
    server.post(path, (request, reply) => {
      try {
        return embed(JSON.parse(String(request.body)));
      } catch (error) {
        if (!(error instanceof z.ZodError || error instanceof SyntaxError)) throw error;
        // Every one of the dialects' clients finds the message in this.
        const message = error instanceof z.ZodError ? z.prettifyError(error) : 'malformed JSON';
        return reply.status(400).send({ error: { message, code: 400, type: 'invalid_request_error' }, message });
      }
    });
  }
}
