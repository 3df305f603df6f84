import type { IncomingMessage } from 'node:http';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyRequest } from 'fastify';
import { countTextTokens } from '@tollgate/dialects';
import { anthropicMessages } from './anthropic-messages/dialect';
import { bedrockConverse } from './bedrock-converse/dialect';
import { cohere } from './cohere/dialect';
import { addEmbeddingRoutes } from './embeddings';
import type { SandboxEnvironment } from './environment';
import { gemini } from './gemini/dialect';
import { openaiChat } from './openai-chat/dialect';
import { openaiResponses } from './openai-responses/dialect';
import { SandboxModule } from './sandbox.module';
import { DialectRoutes } from './speech/routes';

/** Larger than what the gateway lets through, so that it is never the sandbox that refuses. */
const bodyLimitBytes = 48 * 1024 * 1024;

const dialects = [openaiChat, anthropicMessages, openaiResponses, gemini, bedrockConverse, cohere];

/** The sandbox, ready to listen. @throws ControlError when SANDBOX_DEFAULTS is wrong. */
export async function createSandbox(environment: SandboxEnvironment): Promise<NestFastifyApplication> {
  const adapter = new FastifyAdapter({ bodyLimit: bodyLimitBytes, forceCloseConnections: true });
  const app = await NestFactory.create<NestFastifyApplication>(SandboxModule.with(environment), adapter, {
    bodyParser: false,
    logger: ['error', 'warn'],
  });
  const server = adapter.getInstance();
  server.removeAllContentTypeParsers();
  server.addContentTypeParser('*', ({ headers }: FastifyRequest, body: IncomingMessage) =>
    wholeBody(body, Number(headers['content-length'] ?? 0), bodyLimitBytes),
  );
  app.get(DialectRoutes).register(app, dialects);
  addEmbeddingRoutes(app);
  // The tokenizer's vocabulary is loaded now, not during the first request.
  countTextTokens('ready');
  return app;
}

/** A request's body is larger than what is read of one: Fastify answers 413. */
export class TooLarge extends Error {
  readonly statusCode = 413;
}

/**
 * The whole body of a request, in memory of its announced size into which each piece is written as it comes.
 * Put together at the end, as Fastify does, a picture of 6 MiB held up whoever else asks this process, which
 * no provider does: new memory is given page by page at its first use.
 * @throws TooLarge for one of more than `mostBytes`.
 */
export async function wholeBody(body: AsyncIterable<Buffer>, announced: number, mostBytes: number): Promise<Buffer> {
  if (announced > mostBytes) throw new TooLarge();
  let whole = Buffer.allocUnsafeSlow(announced);
  let length = 0;
  for await (const piece of body) {
    const needed = length + piece.length;
    if (needed > mostBytes) throw new TooLarge();
    if (needed > whole.length) {
      // Nothing was announced: it grows as it comes.
      const larger = Buffer.allocUnsafeSlow(Math.min(mostBytes, Math.max(needed, 2 * whole.length)));
      whole.copy(larger, 0, 0, length);
      whole = larger;
    }
    piece.copy(whole, length);
    length = needed;
  }
  return whole.subarray(0, length);
}
