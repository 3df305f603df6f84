import type { ToolDefinition } from '../canonical/generation-request';
import { invalid } from '../canonical/request-fields';
import type { RequestFields } from '../canonical/request-fields';
import { isRecord, parseJson } from '../wire/json-value';

type Json = Record<string, unknown>;

/** The tools that OpenAI defines and the client runs, by their type, which is also their name elsewhere. */
const kinds = ['shell', 'apply_patch'] as const;
export type ClientToolKind = (typeof kinds)[number];

export function isClientTool(type: unknown): type is ClientToolKind {
  return kinds.some((kind) => kind === type);
}

const text = (description: string): Json => ({ type: 'string', description });
const number = (description: string): Json => ({ type: 'integer', description });

/**
 * What OpenAI's own models know of them by heart, as any other model is told of it.
 * https://developers.openai.com/api/docs/guides/tools-shell
 * https://developers.openai.com/api/docs/guides/tools-apply-patch
 */
const definitions: Record<ClientToolKind, ToolDefinition> = {
  shell: {
    name: 'shell',
    description: "Runs commands in a shell on the user's machine, and tells what each of them wrote and how it ended.",
    parameters: {
      type: 'object',
      properties: {
        commands: { type: 'array', items: { type: 'string' }, description: 'The commands, each a line of its own.' },
        timeout_ms: number('How many milliseconds the commands may take.'),
        max_output_length: number('How many characters of the output are wanted at most.'),
      },
      required: ['commands'],
    },
  },
  apply_patch: {
    name: 'apply_patch',
    description:
      'Creates, changes or deletes one file. A diff has a line for each line of the file that matters, with "+" before those that are new, "-" before those that go, and a space before those around them; parts of a file that is changed begin with a line "@@" and, if that is needed to find the place, the line above it.',
    parameters: {
      type: 'object',
      properties: {
        type: { type: 'string', enum: ['create_file', 'update_file', 'delete_file'] },
        path: text('The path of the file.'),
        diff: text('The diff. For create_file: every line of the file, with "+" before it. None for delete_file.'),
      },
      required: ['type', 'path'],
    },
  },
};

/** The tool for models of others. @throws GatewayError 400 for a shell that OpenAI runs. */
export function fromClientTool(kind: ClientToolKind, fields: RequestFields, unread: string[]): ToolDefinition {
  const environment = fields.nested('environment');
  if (environment && environment.text('type') !== 'local')
    throw invalid(fields.path('environment'), "must be { type: 'local' }: other models have no shell at OpenAI");
  environment?.finish(unread);
  return definitions[kind];
}

/** The members of an item of the input that calls one: `arguments` in JSON, and whose call it is. */
export function fromClientCall(fields: RequestFields): { kind: ClientToolKind; arguments: string } {
  const kind = fields.text('type') === 'shell_call' ? 'shell' : 'apply_patch';
  fields.ignore('environment');
  return { kind, arguments: JSON.stringify(fields.raw(kind === 'shell' ? 'action' : 'operation') ?? {}) };
}

/** What the client says of a call that it made. */
export function fromClientOutput(fields: RequestFields): { kind: ClientToolKind; text: string; isError: boolean } {
  if (fields.text('type') === 'shell_call_output') {
    fields.ignore('max_output_length');
    return { kind: 'shell', text: JSON.stringify(fields.raw('output') ?? []), isError: false };
  }
  const status = fields.text('status') ?? 'completed';
  return { kind: 'apply_patch', text: fields.text('output') ?? status, isError: status === 'failed' };
}

/**
 * The members of the item of a call beside its ids. Arguments that are not whole, or whose form a model
 * broke, come as far as they are of use. A patch that was cut off is never told as complete: there is no
 * word for it.
 */
export function clientCallMembers(kind: ClientToolKind, status: string, given: string): Json {
  const parsed = parseJson(given);
  const told = isRecord(parsed) ? parsed : {};
  if (kind === 'apply_patch') {
    const state = status === 'completed' ? status : 'in_progress';
    return { type: 'apply_patch_call', status: state, operation: operationOf(told) };
  }
  const { commands, timeout_ms = null, max_output_length = null } = told;
  const list = Array.isArray(commands) ? (commands as unknown[]) : [commands];
  const action = { commands: list.filter((each) => typeof each === 'string'), timeout_ms, max_output_length };
  return { type: 'shell_call', status, action, environment: { type: 'local' } };
}

function operationOf({ type = 'update_file', path = '', diff = '' }: Json): Json {
  return type === 'delete_file' ? { type, path } : { type, path, diff };
}
