import { NestFactory } from '@nestjs/core';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { countTextTokens } from '@tollgate/dialects';
import type { FastifyRequest } from 'fastify';
import type { IncomingMessage } from 'node:http';
import { anthropicMessages } from './anthropic-messages/dialect';
import { bedrockConverse } from './bedrock-converse/dialect';
import { cohere } from './cohere/dialect';
import { addEmbeddingRoutes } from './embeddings/routes';
import type { SandboxEnvironment } from './environment';
import { gemini } from './gemini/dialect';
import { openaiChat } from './openai-chat/dialect';
import { openaiResponses } from './openai-responses/dialect';
import { wholeBody } from './request/whole-body';
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
