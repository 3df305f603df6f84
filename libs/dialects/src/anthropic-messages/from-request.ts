import { GatewayError } from '@tollgate/contracts';
import type { CanonicalRequest } from '../canonical/generation-request';
import { RequestFields, invalid } from '../canonical/request-fields';
import { fromMessages, fromSystem } from './from-messages';
import { fromReasoning } from './from-reasoning';
import { fromToolChoice, fromTools, withToolChanges } from './from-tools';
import { withoutHostedCalls } from './hosted-calls';

/**
 * Reads a messages request. https://platform.claude.com/docs/en/api/messages/create
 * @throws GatewayError 400 naming the field.
 */
export function fromRequest(body: Record<string, unknown>): CanonicalRequest {
  refuseKeptThings(body);
  const fields = RequestFields.of(body, '');
  fields.ignore('model');
  const unread: string[] = [];
  const listed = fields.list('tools');
  const said = fields.list('messages') ?? [];
  const { tools: offered, messages: turns } = withToolChanges(listed ?? [], said);
  const { tools, webSearch, codeExecution } = fromTools(offered, unread);
  const { messages, lost } = withoutHostedCalls(turns);
  const request: CanonicalRequest = {
    surface: 'anthropic-messages',
    stream: fields.boolean('stream') ?? false,
    messages: [...fromSystem(fields.raw('system'), unread, lost), ...fromMessages(messages, unread)],
    tools: listed === undefined && tools.length === 0 ? undefined : tools,
    webSearch,
    codeExecution,
    ...fromToolChoice(fields.nested('tool_choice'), { webSearch }, unread),
    maxOutputTokens: fields.integer('max_tokens'),
    temperature: fields.number('temperature'),
    topP: fields.number('top_p'),
    topK: fields.integer('top_k'),
    stop: stopSequences(fields),
    ...fromReasoning(fields, said, unread),
    user: userId(fields, unread),
    unread,
    ...(lost.length > 0 && { lost }),
  };
  const extra = fields.rest();
  return Object.keys(extra).length === 0 ? request : { ...request, extra };
}

/**
 * What is kept or run at Anthropic and would be lost elsewhere, the conversation with it. Its clients send
 * all of it again when told in these words: @anthropic-ai/sdk, lib/internal/threads.
 */
const keptThings = ['thread', 'mcp_servers'];

function refuseKeptThings(body: Record<string, unknown>): void {
  const unsupported = keptThings.filter((name) => {
    const value = body[name] ?? null;
    return Array.isArray(value) ? value.length > 0 : value !== null;
  });
  if (unsupported.length === 0) return;
  const message = `${unsupported.join(' and ')} ${unsupported.length === 1 ? 'is' : 'are'} possible only with Anthropic's own models: send the whole conversation, and run the tools yourself.`;
  const details = unsupported.includes('thread') ? { error_code: 'thread_unsupported_request' } : {};
  throw new GatewayError(400, message).because('unsupported_parameter', { ...details, unsupported });
}

function stopSequences(fields: RequestFields): string[] | undefined {
  const list = fields.list('stop_sequences') ?? [];
  // OpenAI refuses an empty list, which Anthropic takes.
  if (list.length === 0) return undefined;
  if (list.every((item) => typeof item === 'string')) return list;
  throw invalid('stop_sequences', 'must be an array of strings');
}

function userId(fields: RequestFields, unread: string[]): string | undefined {
  const metadata = fields.nested('metadata');
  const id = metadata?.text('user_id');
  metadata?.finish(unread);
  return id;
}
