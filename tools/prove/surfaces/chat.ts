import { z } from 'zod';
import type { ClientSurface } from './client-surface';

/** What is said aloud comes as a transcript beside the sound. */
const message = z.object({
  content: z.string().nullish(),
  audio: z.object({ transcript: z.string().optional() }).nullish(),
});
const completion = z.object({ choices: z.array(z.object({ message })).min(1) });
const chunk = z.object({
  error: z.object({ message: z.string() }).optional(),
  choices: z.array(z.object({ delta: message.default({}) })).default([]),
  x_tollgate_cost: z.string().optional(),
});

function wordsOf(said: z.output<typeof message> | undefined): string {
  return said?.content || said?.audio?.transcript || '';
}

/** https://platform.openai.com/docs/api-reference/chat-streaming */
export const chatSurface: ClientSurface = {
  path: '/v1/chat/completions',
  body: (model, prompt, stream) => ({ model, messages: [{ role: 'user', content: prompt }], stream }),
  textOf: (answer) => wordsOf(completion.parse(answer).choices[0]?.message),
  readEvent(data, reading) {
    if (data === '[DONE]') {
      reading.done = true;
      return;
    }
    const { error, choices, x_tollgate_cost: cost } = chunk.parse(JSON.parse(data));
    if (cost !== undefined) reading.costs.push(cost);
    if (error) reading.error = error.message;
    const text = wordsOf(choices[0]?.delta);
    if (!text) return;
    reading.content += text;
    reading.pieces++;
  },
};
