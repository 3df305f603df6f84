import { NestFactory } from '@nestjs/core';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { countTextTokens } from '@tollgate/dialects';
import { addEmbeddingRoutes } from './embeddings/routes';
import { OpenaiChatRoutes } from './openai-chat/routes';
import { SandboxModule } from './sandbox.module';
import { addTokenCountRoute } from './voices/anthropic-token-count';
import { anthropicMessages } from './voices/anthropic-messages';
import { bedrockConverse } from './voices/bedrock-converse';
import { cohere } from './voices/cohere';
import { gemini } from './voices/gemini';
import { openaiResponses } from './voices/openai-responses';
import { VoiceRoutes } from './voice/voice-routes';
import type { SandboxEnvironment } from './environment';

/** Larger than what the gateway lets through, so that it is never the sandbox that refuses. */
const bodyLimitBytes = 48 * 1024 * 1024;

const voices = [anthropicMessages, openaiResponses, gemini, bedrockConverse, cohere];

/** The sandbox, ready to listen. @throws ControlError when SANDBOX_DEFAULTS is wrong. */
export async function createSandbox(environment: SandboxEnvironment): Promise<NestFastifyApplication> {
  const adapter = new FastifyAdapter({ bodyLimit: bodyLimitBytes, forceCloseConnections: true });
  const app = await NestFactory.create<NestFastifyApplication>(SandboxModule.with(environment), adapter, {
    bodyParser: false,
    logger: ['error', 'warn'],
  });
  const server = adapter.getInstance();
  server.removeAllContentTypeParsers();
  server.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
  app.get(OpenaiChatRoutes).register(app);
  app.get(VoiceRoutes).register(app, voices);
  addEmbeddingRoutes(app);
  addTokenCountRoute(app);
  // The tokenizer's vocabulary is loaded now, not during the first request.
  countTextTokens('ready');
  return app;
}
