import { carriedText, noSeal } from '../canonical/carried-seal';
import { customInput } from '../canonical/custom-tool';
import type { Citation, TokenLogprob } from '../canonical/generation-event';
import type { ReasoningSeal } from '../canonical/generation-request';
import { urlCitation } from '../canonical/url-citation';
import { parseJson } from '../wire/json-value';
import type { CallerTool } from './caller-tools';
import { clientCallMembers, isClientTool } from './client-tools';

/**
 * The items of an answer, as a stream and a whole response have them.
 * https://platform.openai.com/docs/api-reference/responses/object#responses/object-output
 */

/** incomplete: the answer was cut off in it. */
export type ItemEnding = 'completed' | 'incomplete';
type ItemStatus = 'in_progress' | ItemEnding;

export function messageItem(id: string, status: ItemStatus, content: readonly object[]): object {
  return { id, type: 'message', status, role: 'assistant', content };
}

export function textPart(text: string, annotations: readonly object[], logprobs: readonly TokenLogprob[]): object {
  return { type: 'output_text', text, annotations, logprobs: logprobs.map(logprobOf) };
}

export function refusalPart(refusal: string): object {
  return { type: 'refusal', refusal };
}

export function logprobOf({ token, logprob, bytes, top }: TokenLogprob): object {
  return {
    token,
    logprob,
    bytes: bytes ?? [],
    top_logprobs: top.map((each) => ({ ...each, bytes: each.bytes ?? [] })),
  };
}

/** `summary` empty: there is no text to read. */
export function reasoningItem(id: string, text: string, seal: ReasoningSeal | undefined): object {
  return {
    id,
    type: 'reasoning',
    summary: text === '' ? [] : [summaryPart(text)],
    ...(seal && { encrypted_content: carriedText(seal, 'openai-responses') }),
    // Clients send reasoning back only with it, and some providers want theirs although they seal none.
    ...(!seal && text !== '' && { encrypted_content: noSeal }),
  };
}

export function summaryPart(text: string): object {
  return { type: 'summary_text', text };
}

/**
 * What seals a call of another provider: it stands beside the call, where clients keep what they cannot read.
 */
export function callSealItem(id: string, toolCallId: string, seal: ReasoningSeal): object {
  return {
    id,
    type: 'reasoning',
    summary: [],
    encrypted_content: carriedText(seal, 'openai-responses', { toolCallId }),
  };
}

/** A tool call, of any kind. Arguments are always JSON: a call without any has an empty object. */
export interface CalledTool {
  callId: string;
  /** The arguments of a custom tool are an object with the one string `input`. */
  tool: CallerTool;
  arguments: string;
}

export function callItemId({ kind }: CallerTool, newId: string): string {
  return `${{ function: 'fc', custom: 'ctc', search: 'tsc', shell: 'sh', apply_patch: 'apc' }[kind]}_${newId}`;
}

export function callItem(
  id: string,
  status: ItemStatus,
  { callId, tool: { kind, name, namespace }, arguments: text }: CalledTool,
): object {
  if (kind === 'search')
    return {
      id,
      type: 'tool_search_call',
      status,
      call_id: callId,
      execution: 'client',
      arguments: parseJson(text) ?? {},
    };
  if (isClientTool(kind)) return { id, call_id: callId, ...clientCallMembers(kind, status, text) };
  const called = { status, call_id: callId, ...(namespace !== null && { namespace }), name };
  return kind === 'custom'
    ? { id, type: 'custom_tool_call', ...called, input: customInput(text) }
    : { id, type: 'function_call', ...called, arguments: text };
}

/**
 * A source of a text of this length. Null for one without an address, which this dialect cannot show.
 * https://platform.openai.com/docs/guides/tools-web-search#output-and-citations
 */
export function annotationOf(citation: Citation, length: number): object | null {
  if (citation.dialect === 'openai-responses') return citation.original;
  const cited = urlCitation(citation, { start: 0, end: length });
  return cited && { type: 'url_citation', ...cited };
}
