import type { GenerationSurface } from '@tollgate/contracts';
import { recordIn } from '../wire/json-value';

/**
 * The body of a caller's next turn: the answer sent back as clients do, with what they cannot read left as it
 * is.
 */
export function nextTurn(surface: GenerationSurface, response: Record<string, unknown>): Record<string, unknown> {
  const question = 'And then?';
  switch (surface) {
    case 'openai-chat': {
      const [choice] = Array.isArray(response.choices) ? (response.choices as unknown[]) : [];
      return { model: 'm', messages: [recordIn(choice, 'message'), { role: 'user', content: question }] };
    }
    case 'anthropic-messages':
      return {
        model: 'm',
        max_tokens: 100,
        messages: [
          { role: 'assistant', content: response.content },
          { role: 'user', content: question },
        ],
      };
    case 'openai-responses': {
      const output = Array.isArray(response.output) ? (response.output as unknown[]) : [];
      return { model: 'm', input: [...output, { role: 'user', content: question }] };
    }
  }
}
