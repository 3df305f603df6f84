import { isRecord, parseJson, recordIn } from '../wire/json-value';
import type { ToolDefinition } from './generation-request';
import type { RequestFields } from './request-fields';

/**
 * A tool of free text: other models get it as a function with one string, and its grammar in words, which
 * responses have in the format and chat completions one level deeper.
 * https://platform.openai.com/docs/guides/function-calling#custom-tools
 * https://platform.openai.com/docs/api-reference/chat/create#chat-create-tools
 */
export function fromCustomTool(name: string, fields: RequestFields, unread: string[]): ToolDefinition {
  const description = fields.text('description');
  const grammar = readGrammar(fields.nested('format'), unread);
  const rule = grammar && `The input must follow this grammar (${grammar.syntax}):\n${grammar.definition}`;
  const told = [description, rule].filter((text) => typeof text === 'string').join('\n\n');
  return {
    name,
    ...(told !== '' && { description: told }),
    parameters: {
      type: 'object',
      properties: { input: { type: 'string', description: 'The whole input of the tool, as free text.' } },
      required: ['input'],
      additionalProperties: false,
    },
    freeText: {
      ...(description !== undefined && { description }),
      ...(grammar && { format: { type: 'grammar', ...grammar } }),
    },
  };
}

/** Null: any text is right. */
function readGrammar(
  format: RequestFields | undefined,
  unread: string[],
): { syntax: string; definition: string } | null {
  const rule = format?.nested('grammar') ?? format;
  const isRuled = format?.text('type') === 'grammar';
  const grammar = { syntax: rule?.text('syntax') ?? 'lark', definition: rule?.text('definition') ?? '' };
  if (rule !== format) rule?.finish(unread);
  format?.finish(unread);
  return isRuled ? grammar : null;
}

/** The free text of a custom tool as the arguments of that function. */
export function customArguments(input: string | undefined): string {
  return JSON.stringify({ input: input ?? '' });
}

/** What stands around the free text in those arguments. */
export const beforeInput = '{"input":"';
export const afterInput = '"}';

/** A piece of the free text as it stands in those arguments. */
export function escapedInput(piece: string): string {
  return JSON.stringify(piece).slice(1, -1);
}

/**
 * The free text inside the arguments, as far as it came where they were cut off; the arguments themselves
 * where a model broke their form.
 */
export function customInput(text: string): string {
  const parsed = parseJson(text);
  if (!isRecord(parsed)) return cutInput(text) ?? text;
  if (typeof parsed['input'] === 'string') return parsed['input'];
  return parsed['input'] == null && Object.keys(parsed).every((name) => name === 'input') ? '' : text;
}

/** An escape takes so many characters, as \u00fc. */
const longestEscape = 6;

/** The free text in the beginning of the arguments, without half an escape at its end; null: there is none. */
function cutInput(text: string): string | null {
  const [before] = /^\s*\{\s*"input"\s*:\s*"/.exec(text) ?? [];
  if (before === undefined) return null;
  for (let left = 0; left < longestEscape; left++) {
    const input = parseJson(`"${text.slice(before.length, text.length - left)}"`);
    // Half of a pair of escapes is no character.
    if (typeof input === 'string') return input.replace(/[\uD800-\uDBFF]$/, '');
  }
  return null;
}

/**
 * How calls of the custom tools that a body of chat completions offers are told to its caller. Who offers one
 * without its inner object, as responses have it, is Cursor: it looks for the name of every call in
 * `function`, and takes `arguments` for the text. https://github.com/icebear0828/codex-proxy/pull/708
 * https://github.com/router-for-me/CLIProxyAPI/issues/4078
 */
export function customForms({ tools }: Record<string, unknown>): ReadonlyMap<string, 'custom' | 'function'> {
  const listed: unknown[] = Array.isArray(tools) ? tools : [];
  const forms = new Map<string, 'custom' | 'function'>();
  for (const tool of listed) {
    if (!isRecord(tool) || tool.type !== 'custom') continue;
    const isFlat = isFlatCustom(tool);
    const { name } = isFlat ? tool : recordIn(tool, 'custom');
    if (typeof name === 'string') forms.set(name, isFlat ? 'function' : 'custom');
  }
  return forms;
}

/** A custom tool as responses have it, which OpenAI's own chat completions refuse. */
export function isFlatCustom(tool: unknown): tool is Record<string, unknown> {
  return isRecord(tool) && tool.type === 'custom' && tool.custom === undefined && typeof tool.name === 'string';
}

/** The names of the tools of free text among these. */
export function freeTextNames(tools: readonly ToolDefinition[] = []): ReadonlySet<string> {
  return new Set(tools.flatMap(({ name, freeText }) => (freeText ? [name] : [])));
}
