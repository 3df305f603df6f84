import { z } from 'zod';
import type { ClientSurface } from './client-surface';

/** What the provider's own tools wrote, and what it shortened, has no text. */
const toolBlock = z
  .object({ type: z.enum(['server_tool_use', 'web_search_tool_result', 'advisor_tool_result', 'compaction']) })
  .transform(() => ({ text: '' }));
const textBlock = z.object({ type: z.literal('text'), text: z.string() });
const message = z.object({ content: z.array(z.union([textBlock, toolBlock])) });
const event = z.object({
  type: z.string(),
  delta: z.object({ text: z.string().optional() }).optional(),
  error: z.object({ message: z.string() }).optional(),
  x_tollgate_cost: z.string().optional(),
});
const mostTokens = 1_000;

/** https://platform.claude.com/docs/en/build-with-claude/streaming */
export const messagesSurface: ClientSurface = {
  path: '/v1/messages',
  body: (model, prompt, stream) => ({
    model,
    max_tokens: mostTokens,
    messages: [{ role: 'user', content: prompt }],
    stream,
  }),
  textOf: (answer) =>
    message
      .parse(answer)
      .content.map(({ text }) => text)
      .join(''),
  readEvent(data, reading) {
    const { type, delta, error, x_tollgate_cost: cost } = event.parse(JSON.parse(data));
    if (cost !== undefined) reading.costs.push(cost);
    if (type === 'message_stop') reading.done = true;
    if (error) reading.error = error.message;
    if (type !== 'content_block_delta' || !delta?.text) return;
    reading.content += delta.text;
    reading.pieces++;
  },
};
