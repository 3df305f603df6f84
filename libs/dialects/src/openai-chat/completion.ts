import type { TokenUsage } from '@tollgate/contracts';
import { isRecord, parseJson, recordIn } from '../wire/json-value';
import { countTextTokens } from '../tokens/o200k';
import { readUsage } from './read-usage';

/**
 * A whole chat completion, as far as the gateway must know it.
 * https://platform.openai.com/docs/api-reference/chat/object
 */
export interface Completion {
  body: Record<string, unknown>;
  choices: readonly Record<string, unknown>[];
  usage: TokenUsage | null;
}

/** What the choices of an answer hold: messages, or the texts of text completions. */
export type ChoiceKind = 'chat' | 'text';

/**
 * Reads a whole completion; null when the text is none: malformed, or without an array of choices of this
 * kind.
 */
export function readCompletion(value: unknown, kind: ChoiceKind = 'chat'): Completion | null {
  if (!isRecord(value) || !Array.isArray(value.choices) || value.choices.length === 0) return null;
  const choices = value.choices.filter(isRecord);
  if (choices.length !== value.choices.length || !choices.every((choice) => isOf(kind, choice))) return null;
  return { body: value, choices, usage: readUsage(value.usage, value.service_tier) };
}

function isOf(kind: ChoiceKind, { message, text }: Record<string, unknown>): boolean {
  return kind === 'chat' ? isRecord(message) : typeof text === 'string';
}

/** The JSON of an error inside an answer with status 200; null when there is none. */
export function errorOf(value: unknown): string | null {
  if (!isRecord(value)) return null;
  if (value.error !== undefined && value.error !== null) return JSON.stringify({ error: value.error });
  if (value.object === 'error') return JSON.stringify(value);
  // OpenRouter puts the error of a model that broke down into its choice: https://openrouter.ai/docs/errors
  const choices: unknown[] = Array.isArray(value.choices) ? value.choices : [];
  const failed = choices.find((choice) => isRecord(choice) && isRecord(choice.error));
  return isRecord(failed) ? JSON.stringify({ error: failed.error }) : null;
}

/**
 * Output tokens of a completion by tokenizer: text, reasoning, refusal, and the names and arguments (or
 * free text) of tool calls.
 */
export function countCompletionTokens(completion: Completion): number {
  let tokens = 0;
  for (const choice of completion.choices)
    tokens += messageTokens(recordIn(choice, 'message')) + textTokens(choice.text);
  return tokens;
}

function messageTokens(message: Record<string, unknown>): number {
  let tokens =
    textTokens(message.content) +
    textTokens(message.reasoning_content ?? message.reasoning) +
    textTokens(message.refusal);
  tokens += textTokens(recordIn(message, 'audio').transcript) + functionTokens(recordIn(message, 'function_call'));
  for (const call of Array.isArray(message.tool_calls) ? (message.tool_calls as unknown[]) : [])
    tokens += functionTokens(recordIn(call, 'function')) + functionTokens(recordIn(call, 'custom'));
  return tokens;
}

function functionTokens(called: Record<string, unknown>): number {
  return textTokens(called.name) + textTokens(called.arguments) + textTokens(called.input);
}

function textTokens(content: unknown): number {
  if (typeof content === 'string') return countTextTokens(content);
  if (!Array.isArray(content)) return 0;
  let tokens = 0;
  for (const part of content as unknown[])
    if (isRecord(part)) tokens += textTokens(part.text) + textTokens(part.thinking);
  return tokens;
}

/** The completion in the bytes of an answer. */
export function parseAnswer(bytes: Buffer): unknown {
  const text = bytes.toString('utf8');
  return parseJson(text.startsWith('\ufeff') ? text.slice(1) : text);
}
