import type { CanonicalRequest } from '../canonical/generation-request';
import { RequestFields, invalid } from '../canonical/request-fields';
import { fromMessages, fromSystem } from './from-messages';
import { fromReasoning } from './from-reasoning';
import { fromToolChoice, fromTools } from './from-tools';

/** Reads a messages request. https://platform.claude.com/docs/en/api/messages/create @throws GatewayError 400 naming the field. */
export function fromRequest(body: Record<string, unknown>): CanonicalRequest {
  const fields = RequestFields.of(body, '');
  fields.ignore('model');
  const unread: string[] = [];
  const tools = fields.list('tools');
  const request: CanonicalRequest = {
    surface: 'anthropic-messages',
    stream: fields.boolean('stream') ?? false,
    messages: [...fromSystem(fields.raw('system'), unread), ...fromMessages(fields.list('messages') ?? [], unread)],
    tools: tools && fromTools(tools, unread),
    ...fromToolChoice(fields.nested('tool_choice'), unread),
    maxOutputTokens: fields.integer('max_tokens'),
    temperature: fields.number('temperature'),
    topP: fields.number('top_p'),
    topK: fields.integer('top_k'),
    stop: stopSequences(fields),
    ...fromReasoning(fields, unread),
    user: userId(fields, unread),
    unread,
  };
  const extra = fields.rest();
  return Object.keys(extra).length === 0 ? request : { ...request, extra };
}

function stopSequences(fields: RequestFields): string[] | undefined {
  const list = fields.list('stop_sequences');
  if (list === undefined || list.every((item) => typeof item === 'string')) return list;
  throw invalid('stop_sequences', 'must be an array of strings');
}

function userId(fields: RequestFields, unread: string[]): string | undefined {
  const metadata = fields.nested('metadata');
  const id = metadata?.text('user_id');
  metadata?.finish(unread);
  return id;
}
