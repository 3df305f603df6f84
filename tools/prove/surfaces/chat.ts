import { z } from 'zod';
import type { ClientSurface } from './client-surface';

const completion = z.object({ choices: z.array(z.object({ message: z.object({ content: z.string() }) })).min(1) });
const chunk = z.object({
  error: z.object({ message: z.string() }).optional(),
  choices: z.array(z.object({ delta: z.object({ content: z.string().nullish() }).default({}) })).default([]),
});

/** https://platform.openai.com/docs/api-reference/chat-streaming */
export const chatSurface: ClientSurface = {
  path: '/v1/chat/completions',
  body: (model, prompt, stream) => ({ model, messages: [{ role: 'user', content: prompt }], stream }),
  textOf: (answer) => completion.parse(answer).choices[0]?.message.content ?? '',
  readEvent(data, reading) {
    if (data === '[DONE]') {
      reading.done = true;
      return;
    }
    const { error, choices } = chunk.parse(JSON.parse(data));
    if (error) reading.error = error.message;
    const text = choices[0]?.delta.content;
    if (!text) return;
    reading.content += text;
    reading.pieces++;
  },
};
