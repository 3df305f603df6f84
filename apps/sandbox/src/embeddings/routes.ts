import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { z } from 'zod';
import { Ledger } from '../ledger/ledger';
import { newRow } from '../ledger/new-row';
import { textIn } from '../request/read-values';
import { isRecord } from '../request/record';
import { embedAsCohere, embedAsGemini, embedAsOpenai, type Embedded } from './embed';

/** `model`: the one that the path names, empty where it stands in the body. */
const embedders: Readonly<Record<string, (body: unknown, model: string) => Embedded>> = {
  '/openai-chat/embeddings': embedAsOpenai,
  '/gemini/models/:call(^[^/]+:batchEmbedContents$)': embedAsGemini,
  '/cohere/embed': embedAsCohere,
};

/**
 * Registers the simulated endpoints for embeddings: plain answers, always the same for the same text, without
 * controls. They stand in the books like all others.
 */
export function addEmbeddingRoutes(app: NestFastifyApplication): void {
  const server = app.getHttpAdapter().getInstance();
  const ledger = app.get(Ledger);
  for (const [path, embed] of Object.entries(embedders)) {
    server.post(path, (request, reply) => {
      const row = ledger.book({ ...newRow(request.headers['x-client-request-id']), kind: 'embedding' });
      try {
        const { call } = isRecord(request.params) ? request.params : {};
        const { answer, ...booked } = embed(JSON.parse(String(request.body)), textIn(call).split(':')[0] ?? '');
        Object.assign(row, { ...booked, state: 'completed', status: 200, endedAt: Date.now() });
        return answer;
      } catch (error) {
        if (!(error instanceof z.ZodError || error instanceof SyntaxError)) throw error;
        // What is outside a schema that is closed.
        const isExtra = error instanceof z.ZodError && error.issues.every(({ code }) => code === 'unrecognized_keys');
        const status = isExtra ? 422 : 400;
        Object.assign(row, { state: 'refused', status, endedAt: Date.now() });
        // Every one of the dialects' clients finds the message in this.
        const words = error instanceof z.ZodError ? z.prettifyError(error) : 'malformed JSON';
        const message = isExtra ? `Extra inputs are not permitted. ${words}` : words;
        return reply.status(status).send({ error: { message, code: status, type: 'invalid_request_error' }, message });
      }
    });
  }
}
