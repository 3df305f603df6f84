import type { SheetName } from './sheets';
import type { Truth } from './truth';

/**
 * How one provider tells usage. `told`: the kinds of tokens that it tells apart. `usage` makes the body's
 * usage object of what was used. `sheets` are the prices to work out. `upstreamModel` matters only where the
 * meaning depends on the model.
 */
export interface Shape {
  provider: string;
  dialect: 'openai-chat' | 'openai-responses' | 'anthropic-messages' | 'gemini' | 'bedrock-converse' | 'cohere';
  upstreamModel?: string;
  sheets: readonly SheetName[];
  told: readonly (keyof Truth)[];
  usage: (truth: Truth) => object;
}
