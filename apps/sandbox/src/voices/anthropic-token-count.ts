import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { countTextTokens } from '@tollgate/dialects';
import { Refusal } from '../voice/neutral-request';
import { isRecord } from '../voice/record';
import { anthropicMessages } from './anthropic-messages';

/** Registers Anthropic's token counting, which takes a messages request without an output limit. https://platform.claude.com/docs/en/api/messages/count_tokens */
export function addTokenCountRoute(app: NestFastifyApplication): void {
  const server = app.getHttpAdapter().getInstance();
  server.post(`/${anthropicMessages.dialect}/messages/count_tokens`, (request, reply) => {
    try {
      const body: unknown = JSON.parse(String(request.body));
      if (!isRecord(body)) throw new Refusal('The request body must be a JSON object.');
      const { inputText } = anthropicMessages.read({ max_tokens: 1_000_000, ...body }, null, null);
      return { input_tokens: countTextTokens(inputText) };
    } catch (error) {
      if (!(error instanceof Refusal || error instanceof SyntaxError)) throw error;
      return reply
        .status(400)
        .type('application/json')
        .send(anthropicMessages.error(400, error.message, null).body);
    }
  });
}
