import { partOf } from './attached-file';
import type { Turn } from './turns';

/**
 * What holds for every model. Texts are as typed: empty means "not sent". `tools` is a JSON array in the form
 * of chat completions, `schema` the JSON schema that the answer must follow, `more` a JSON object of whatever
 * else is sent.
 */
export interface Setup {
  system: string;
  temperature: string;
  topP: string;
  maxTokens: string;
  tools: string;
  schema: string;
  more: string;
}

export const noSetup: Setup = {
  ...{ system: '', temperature: '', topP: '', maxTokens: '' },
  ...{ tools: '', schema: '', more: '' },
};

type Json = Record<string, unknown>;

/** The body of POST /v1/chat/completions for a conversation. What was not answered is not sent back. */
export function requestBody(model: string, setup: Setup, turns: Turn[]): Json {
  const number = (text: string) => (text.trim() === '' ? undefined : Number(text));
  const json = (text: string) => (text.trim() === '' ? undefined : (JSON.parse(text) as unknown));
  const schema = json(setup.schema);
  const more = json(setup.more);
  const messages = [
    ...(setup.system.trim() ? [{ role: 'system', content: setup.system }] : []),
    ...turns.flatMap(toMessages),
  ];
  return {
    model,
    messages,
    temperature: number(setup.temperature),
    top_p: number(setup.topP),
    max_tokens: number(setup.maxTokens),
    tools: json(setup.tools),
    response_format: schema && { type: 'json_schema', json_schema: { name: 'answer', schema } },
    ...(typeof more === 'object' ? more : {}),
    stream: true,
    stream_options: { include_usage: true },
  };
}

function toMessages(turn: Turn): Json[] {
  if (turn.kind === 'tool') return turn.results.map(({ id, content }) => ({ role: 'tool', tool_call_id: id, content }));
  if (turn.kind === 'user') {
    const files = turn.files ?? [];
    if (!turn.images.length && !files.length) return [{ role: 'user', content: turn.text }];
    const images = turn.images.map((url) => ({ type: 'image_url', image_url: { url } }));
    return [
      {
        role: 'user',
        content: [...(turn.text ? [{ type: 'text', text: turn.text }] : []), ...images, ...files.map(partOf)],
      },
    ];
  }
  if (!turn.text && !turn.toolCalls.length) return [];
  const calls = turn.toolCalls.map(({ id, name, args }) => ({
    id,
    type: 'function',
    function: { name, arguments: args },
  }));
  return [{ role: 'assistant', content: turn.text || null, ...(calls.length && { tool_calls: calls }) }];
}

/** What is wrong with the setup, in words; null: nothing. */
export function problemOf({ temperature, topP, maxTokens, tools, schema, more }: Setup): string | null {
  if (outside(temperature, 0, 2)) return 'The temperature must be a number from 0 to 2.';
  if (outside(topP, 0, 1)) return 'Top p must be a number from 0 to 1.';
  if (maxTokens.trim() && !/^[1-9]\d*$/.test(maxTokens.trim()))
    return 'The output limit must be a whole number above 0.';
  return (
    jsonProblem('The tools', tools, 'array') ??
    jsonProblem('The schema of the answer', schema, 'object') ??
    jsonProblem('The further parameters', more, 'object')
  );
}

function jsonProblem(name: string, text: string, kind: 'array' | 'object'): string | null {
  if (!text.trim()) return null;
  try {
    const value: unknown = JSON.parse(text);
    const isOfKind = kind === 'array' ? Array.isArray(value) : isObject(value);
    return isOfKind ? null : `${name} must be a JSON ${kind}.`;
  } catch (error) {
    return `${name}: no valid JSON (${error instanceof Error ? error.message : 'unreadable'})`;
  }
}

const isObject = (value: unknown) => typeof value === 'object' && value !== null && !Array.isArray(value);

const outside = (text: string, least: number, most: number) =>
  text.trim() !== '' && !(Number(text) >= least && Number(text) <= most);

export const exampleTools = JSON.stringify(
  [
    {
      type: 'function',
      function: {
        name: 'get_weather',
        description: 'The weather of a place right now.',
        parameters: {
          type: 'object',
          properties: { place: { type: 'string', description: 'City and country' } },
          required: ['place'],
        },
      },
    },
  ],
  null,
  2,
);
