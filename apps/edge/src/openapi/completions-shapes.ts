import { z } from 'zod';
import { chatCompletionRequest } from './chat-shapes';

const text = z.union([z.string(), z.array(z.string()).min(1)]);
const tokens = z.array(z.number().int().min(0)).min(1);
const { max_tokens, temperature, top_p, stop, stream } = chatCompletionRequest.shape;

/**
 * The body of POST /v1/completions as far as this gateway itself reads it; the surface dialect validates it.
 */
export const completionsRequest = z.looseObject({
  model: z.string().describe('Id of a model whose server has text completions'),
  prompt: z.union([text, tokens, z.array(tokens).min(1)]).describe('A text, several texts, or the same as tokens'),
  suffix: z.string().nullish().describe('What follows the text that is asked for, where the server takes it'),
  max_tokens,
  temperature,
  top_p,
  stop,
  stream,
});

export const completionsAnswer = z.looseObject({
  object: z.literal('text_completion'),
  choices: z.array(z.looseObject({ index: z.number().int(), text: z.string(), finish_reason: z.string().nullish() })),
});
