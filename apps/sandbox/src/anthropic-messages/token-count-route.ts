import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { isRecord } from '../request/record';
import { Refusal } from '../request/refusal';
import { writeMessageError } from './message-error';
import { readMessages } from './read-messages';

/** What a count does not take: it makes no answer. */
const onlyToAnswer = ['max_tokens', 'stream', 'temperature', 'top_p', 'top_k', 'stop_sequences', 'metadata'];
const noLimit = 1_000_000;

/** Registers Anthropic's token counting, which takes a messages request without what steers its answer. https://platform.claude.com/docs/en/api/messages/count_tokens */
export function addTokenCountRoute(app: NestFastifyApplication): void {
  const server = app.getHttpAdapter().getInstance();
  server.post('/anthropic-messages/messages/count_tokens', (request, reply) => {
    try {
      return { input_tokens: countTokens(String(request.body)) };
    } catch (error) {
      if (!(error instanceof Refusal || error instanceof SyntaxError)) throw error;
      const { message } = error;
      const refused = { status: 400, message, type: null, param: null, code: null, key: '', retryAfterS: null };
      return reply.status(400).type('application/json').send(writeMessageError(refused).body);
    }
  });
}

function countTokens(text: string): number {
  const body: unknown = JSON.parse(text);
  if (!isRecord(body)) throw new Refusal('The request body must be a JSON object.');
  for (const name of onlyToAnswer)
    if (body[name] !== undefined) throw new Refusal(`${name}: Extra inputs are not permitted`);
  const addressed = { path: '/messages', model: null, stream: null, query: '', version: '', betas: '' };
  return readMessages({ ...body, max_tokens: noLimit }, addressed).inputTokens;
}
