import { GatewayError } from '@tollgate/contracts';
import { GatheredStream, type StreamAssembly } from '../canonical/gathered-stream';
import { checkAnswers, readSettings } from '../openai-chat/read-request';
import { openaiChatSurface } from '../openai-chat/surface';
import type { SurfaceDialect, SurfaceRequest } from '../surface-dialect';
import { isRecord } from '../wire/json-value';
import { countInputTokens } from './count-input-tokens';

/**
 * Puts the chunks of a text completion together: they have the form of the whole answer, with a piece of the
 * text.
 */
class TextAssembly implements StreamAssembly {
  private top: Record<string, unknown> | null = null;
  private readonly choices = new Map<unknown, Record<string, unknown>>();

  add(_name: string, { choices, ...rest }: Record<string, unknown>): void {
    this.top ??= {};
    for (const [name, value] of Object.entries(rest)) if (value !== null) this.top[name] = value;
    if (!Array.isArray(choices)) return;
    for (const choice of choices as unknown[]) if (isRecord(choice)) this.addChoice(choice);
  }

  answer(): Record<string, unknown> | null {
    return this.top && { ...this.top, choices: [...this.choices.values()] };
  }

  private addChoice({ index = 0, text, finish_reason: finish }: Record<string, unknown>): void {
    const choice = this.choices.get(index) ?? { index, text: '', finish_reason: null };
    this.choices.set(index, choice);
    if (typeof text === 'string') choice.text = `${String(choice.text)}${text}`;
    if (typeof finish === 'string') choice.finish_reason = finish;
  }
}

/**
 * OpenAI's text completions, as editors ask them to fill a gap (`suffix`); errors and the frame of the stream
 * are those of chat completions.
 * https://platform.openai.com/docs/api-reference/completions
 */
export const openaiCompletionsSurface: SurfaceDialect = {
  ...openaiChatSurface,
  name: 'openai-completions',
  path: '/v1/completions',
  inOwnForm: (body) => body,
  readRequest,
  countInputTokens,
  keepsState: () => false,
  gatheredStream: (maxBytes) => new GatheredStream(new TextAssembly(), maxBytes),
};

function readRequest(body: unknown, bodyBytes: number): SurfaceRequest {
  const settings = readSettings(body);
  const { prompt, suffix, n, best_of: bestOf } = isRecord(body) ? body : {};
  checkAnswers(bestOf, 'best_of');
  if (!isPrompt(prompt))
    throw new GatewayError(400, "'prompt' is required and must be a string, an array of strings, or tokens.");
  if (suffix !== undefined && suffix !== null && typeof suffix !== 'string')
    throw new GatewayError(400, "'suffix' must be a string.");
  // No tokenizer makes more tokens of a text than it has bytes.
  const maxOutputTokens = settings.maxOutputTokens && settings.maxOutputTokens * answersBeside(prompt, n, bestOf);
  return { ...settings, maxOutputTokens, inputTokensEstimate: Math.max(bodyBytes, 1), mediaTokens: 0, needs: [] };
}

/**
 * How many answers are made for each of the `n` that are asked for: so many prompts, and of each as many as
 * the best are chosen from.
 */
function answersBeside(prompt: unknown, n: unknown, bestOf: unknown): number {
  const prompts = Array.isArray(prompt) && typeof prompt[0] !== 'number' ? prompt.length : 1;
  const asked = typeof n === 'number' ? n : 1;
  return prompts * (typeof bestOf === 'number' ? Math.max(1, bestOf / asked) : 1);
}

function isPrompt(prompt: unknown): boolean {
  if (typeof prompt === 'string') return true;
  if (!Array.isArray(prompt) || prompt.length === 0) return false;
  return prompt.every((item) => typeof item === 'string' || typeof item === 'number' || Array.isArray(item));
}
