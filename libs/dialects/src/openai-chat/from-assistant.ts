import { readCarried } from '../canonical/carried-seal';
import { customArguments } from '../canonical/custom-tool';
import type { MessagePart, ReasoningPart, ReasoningSeal, ToolCallPart } from '../canonical/generation-request';
import { invalid, RequestFields } from '../canonical/request-fields';
import { isRecord, recordIn } from '../wire/json-value';
import { fromContent, readCacheControl } from './from-content';

/** Reads an assistant's message: what it thought, said, refused and called, in this order. */
export function fromAssistant(fields: RequestFields, unread: string[]): MessagePart[] {
  const reasoning = fromReasoning(fields);
  const content = fromContent(fields, unread);
  const refusal = fields.text('refusal');
  const calls = fields.list('tool_calls') ?? [];
  // The sources of an answer, which clients send back with it.
  fields.ignore('annotations');
  return [
    ...reasoning,
    ...content,
    ...(refusal === undefined ? [] : [{ type: 'refusal' as const, text: refusal }]),
    ...calls.map((call, index) => fromCall(RequestFields.of(call, `${fields.path('tool_calls')}[${index}]`), unread)),
    ...fromFunctionCall(fields),
  ];
}

/**
 * `reasoning_details` (OpenRouter's form, which holds seals) says more than `reasoning_content` (DeepSeek's)
 * or `reasoning`.
 * https://openrouter.ai/docs/use-cases/reasoning-tokens https://api-docs.deepseek.com/guides/thinking_mode
 */
function fromReasoning(fields: RequestFields): ReasoningPart[] {
  const details = fields.list('reasoning_details');
  const text = fields.text('reasoning_content') ?? fields.text('reasoning');
  fields.ignore('reasoning');
  if (details !== undefined && details.length > 0) return details.flatMap(fromDetail);
  return text === undefined || text === '' ? [] : [{ type: 'reasoning', text }];
}

function fromDetail(detail: unknown): ReasoningPart[] {
  if (!isRecord(detail)) return [];
  const text = [detail.text, detail.summary].find((candidate) => typeof candidate === 'string') ?? '';
  const id = typeof detail.id === 'string' ? { id: detail.id } : {};
  const sealed = sealIn(detail);
  return [{ type: 'reasoning', text, ...id, ...(sealed ?? {}) }];
}

function sealIn(detail: Record<string, unknown>): { seal: ReasoningSeal; id?: string } | null {
  const signature = typeof detail.signature === 'string' ? detail.signature : null;
  const data = typeof detail.data === 'string' ? detail.data : null;
  if (signature === null && data === null) return null;
  const kind = signature === null ? 'redacted' : 'signature';
  const { seal, id } = readCarried(signature ?? data ?? '', 'openai-chat', kind);
  // What is not carried for another dialect is the provider's own: it goes back whole.
  if (!seal) return null;
  const isOwn = seal.dialect === 'openai-chat';
  return {
    seal: isOwn ? { ...seal, value: JSON.stringify(detail) } : seal,
    ...(id !== undefined && { id }),
  };
}

function fromCall(fields: RequestFields, unread: string[]): MessagePart {
  const type = fields.text('type') ?? 'function';
  if (type !== 'function' && type !== 'custom') throw invalid(fields.path('type'), 'must be function or custom');
  const called = fields.nested(type);
  if (called === undefined) throw invalid(fields.path(type), 'is required and must be an object');
  const signature = callSignature(fields.raw('extra_content'));
  const cacheControl = readCacheControl(fields, unread);
  fields.ignore('index');
  const call: ToolCallPart & Pick<MessagePart, 'cacheControl'> = {
    type: 'tool-call',
    id: fields.requiredText('id'),
    name: called.requiredText('name'),
    arguments: type === 'custom' ? customArguments(called.text('input')) : (called.text('arguments') ?? ''),
    ...(signature && { signature }),
    ...(cacheControl && { cacheControl }),
  };
  called.finish(unread);
  fields.finish(unread);
  return call;
}

/**
 * Google's place for the signature of a call in this dialect:
 * https://ai.google.dev/gemini-api/docs/openai#thought-signatures
 */
function callSignature(extraContent: unknown): ReasoningSeal | null {
  const value = recordIn(extraContent, 'google').thought_signature;
  return typeof value === 'string' ? { dialect: 'gemini', kind: 'signature', value } : null;
}

/** The older form of a call has no id: its result is found by the function's name. */
function fromFunctionCall(fields: RequestFields): ToolCallPart[] {
  const called = fields.nested('function_call');
  if (called === undefined) return [];
  const name = called.requiredText('name');
  return [{ type: 'tool-call', id: name, name, arguments: called.text('arguments') ?? '' }];
}
