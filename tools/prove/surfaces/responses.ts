import { z } from 'zod';
import type { ClientSurface } from './client-surface';

const messageItem = z.object({ type: z.literal('message'), content: z.array(z.object({ text: z.string() })) });
/** What the provider's own tools did has no text. */
const toolItem = z
  .object({ type: z.enum(['web_search_call', 'file_search_call', 'code_interpreter_call']) })
  .transform(() => ({ content: [{ text: '' }] }));
const response = z.object({
  status: z.literal('completed'),
  output: z.array(z.union([messageItem, toolItem])),
});
const event = z.object({
  type: z.string(),
  delta: z.unknown().optional(),
  x_tollgate_cost: z.string().optional(),
});

/** https://platform.openai.com/docs/api-reference/responses-streaming */
export const responsesSurface: ClientSurface = {
  path: '/v1/responses',
  body: (model, input, stream) => ({ model, input, stream }),
  textOf: (answer) =>
    response
      .parse(answer)
      .output.flatMap(({ content }) => content.map(({ text }) => text))
      .join(''),
  readEvent(data, reading) {
    const { type, delta, x_tollgate_cost: cost } = event.parse(JSON.parse(data));
    if (cost !== undefined) reading.costs.push(cost);
    if (type === 'response.completed') reading.done = true;
    if (type === 'response.failed' || type === 'error') reading.error = data;
    if (type !== 'response.output_text.delta' || typeof delta !== 'string') return;
    reading.content += delta;
    reading.pieces++;
  },
};
