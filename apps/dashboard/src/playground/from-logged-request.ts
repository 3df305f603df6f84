import { conversationIn } from '../requests/conversation';
import type { Part, SaidTurn } from '../requests/conversation';
import { noSetup } from './request-body';
import type { Setup } from './request-body';
import { newAnswer } from './turns';
import type { AssistantTurn, ToolTurn, Turn, UserTurn } from './turns';

/**
 * A logged request as the playground asks it: what was said before, and the question that it ended with
 * (null: it ended with what a tool gave). `lacksFiles`: files that a person sent are not among it.
 */
export interface Replay {
  setup: Setup;
  turns: Turn[];
  question: UserTurn | null;
  lacksFiles: boolean;
}

type Fields = Readonly<Record<string, unknown>>;

/**
 * Reads a logged request of chat completions, responses or messages. Null: it is none of them, or was cut off
 * when it was logged.
 */
export function fromLoggedRequest(json: string, model: string): Replay | null {
  const said = conversationIn(json);
  const body = fieldsIn(json);
  if (!said || !body) return null;
  const instructions = said.filter(({ role }) => isInstruction(role)).map(({ parts }) => textIn(parts));
  const turns = said.filter(({ role }) => !isInstruction(role)).flatMap((turn) => toTurns(turn, model));
  const last = turns.at(-1);
  return {
    setup: setupOf(body, instructions.join('\n\n')),
    turns: last?.kind === 'user' ? turns.slice(0, -1) : turns,
    question: last?.kind === 'user' ? last : null,
    lacksFiles: said.some(
      ({ role, parts }) => role === 'user' && parts.some(({ kind, url }) => kind === 'other' && url === undefined),
    ),
  };
}

const isInstruction = (role: string) => role === 'system' || role === 'developer';

/** A turn of a person may hold results of tools, which were sent before what is said. */
function toTurns({ role, parts }: SaidTurn, model: string): Turn[] {
  const results = parts.filter(({ kind }) => kind === 'result');
  const rest = parts.filter(({ kind }) => kind !== 'result');
  const isAnswer = role === 'assistant' || rest.some(({ kind }) => kind === 'call' || kind === 'reasoning');
  return [
    ...(results.length > 0 ? [toToolTurn(results)] : []),
    ...(rest.length === 0 ? [] : [isAnswer ? toAnswer(rest, model) : toUserTurn(rest)]),
  ];
}

function toToolTurn(results: readonly Part[]): ToolTurn {
  return { kind: 'tool', results: results.map(({ callId = '', text }) => ({ id: callId, content: text })) };
}

function toAnswer(parts: readonly Part[], model: string): AssistantTurn {
  const calls = parts.filter(({ kind }) => kind === 'call');
  return {
    ...newAnswer(model),
    state: 'done',
    text: textIn(parts),
    reasoning: parts.flatMap(({ kind, text }) => (kind === 'reasoning' ? [text] : [])).join('\n'),
    toolCalls: calls.map(({ callId = '', name, text }) => ({ id: callId, name: name ?? '', args: text || '{}' })),
  };
}

function toUserTurn(parts: readonly Part[]): UserTurn {
  return { kind: 'user', text: textIn(parts), images: parts.flatMap(({ url }) => (url === undefined ? [] : [url])) };
}

const textIn = (parts: readonly Part[]): string =>
  parts.flatMap(({ kind, text }) => (kind === 'text' ? [text] : [])).join('\n');

function setupOf(body: Fields, system: string): Setup {
  const number = (...names: string[]) => {
    const value = names.map((name) => body[name]).find((one) => typeof one === 'number');
    return value === undefined ? '' : String(value);
  };
  const tools = Array.isArray(body['tools']) ? body['tools'].flatMap(toChatTool) : [];
  return {
    ...noSetup,
    system,
    temperature: number('temperature'),
    topP: number('top_p'),
    maxTokens: number('max_completion_tokens', 'max_tokens', 'max_output_tokens'),
    tools: tools.length > 0 ? JSON.stringify(tools, null, 2) : '',
    schema: schemaOf(body),
  };
}

/**
 * A tool that the caller runs, in the form of chat completions; those that providers run have no such form.
 */
function toChatTool(tool: unknown): Fields[] {
  const fields = fieldsOf(tool);
  if (!fields) return [];
  if (fieldsOf(fields['function'])) return [fields];
  const { name, description, parameters, input_schema: schema } = fields;
  if (typeof name !== 'string') return [];
  return [{ type: 'function', function: { name, description, parameters: parameters ?? schema } }];
}

/** The JSON schema that the answer had to follow, as text; the empty text: none. */
function schemaOf(body: Fields): string {
  const ofChat = fieldsOf(fieldsOf(body['response_format'])?.['json_schema'])?.['schema'];
  const ofResponses = fieldsOf(fieldsOf(body['text'])?.['format'])?.['schema'];
  const ofMessages = fieldsOf(fieldsOf(body['output_config'])?.['format'])?.['schema'];
  const schema = ofChat ?? ofResponses ?? ofMessages;
  return schema === undefined ? '' : JSON.stringify(schema, null, 2);
}

const fieldsOf = (value: unknown): Fields | null =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : null;

function fieldsIn(json: string): Fields | null {
  try {
    return fieldsOf(JSON.parse(json));
  } catch {
    return null;
  }
}
