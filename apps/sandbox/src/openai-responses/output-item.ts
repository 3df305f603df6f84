import { jsonObject } from '../answer/json-object';
import { alternativesTo, logprobOf } from '../answer/logprobs';
import { textOf } from '../answer/pieces';
import type { Piece } from '../answer/pieces';
import type { PlannedBlock, TextBlock } from '../answer/planned-answer';
import { sealOf } from '../answer/seal';
import { textIn } from '../request/read-values';
import { begunHostedItem } from './hosted-item';
import type { ResponsesRequest } from './read-responses';
import type { CallerTool } from './read-tools';

type Item = Record<string, unknown>;

/**
 * An item of the output, whole. `id` is its own part of the item's id.
 * https://platform.openai.com/docs/api-reference/responses/object
 */
export function outputItem(block: PlannedBlock, id: string, request: ResponsesRequest): Item {
  const text = textOf(block.pieces);
  switch (block.type) {
    case 'reasoning':
      return {
        id: `rs_${id}`,
        type: 'reasoning',
        summary: isSummarized(block, request) ? [{ type: 'summary_text', text }] : [],
        ...(request.showsSealed && { encrypted_content: block.seal }),
      };
    case 'text':
      if (request.compacts) return { id: `cmp_${id}`, type: 'compaction', encrypted_content: sealOf(text) };
      return messageItem(id, textPart(block, request));
    case 'refusal':
      return messageItem(id, { type: 'refusal', refusal: text });
    case 'tool-call':
      return callItem(block.id, text, id, request.callerTools.get(block.name) ?? { kind: null, name: block.name });
  }
}

function callItem(callId: string, text: string, id: string, { kind, name, namespace }: CallerTool): Item {
  const call = { status: 'completed', call_id: callId };
  if (kind === 'search')
    return { id: `tsc_${id}`, type: 'tool_search_call', ...call, execution: 'client', arguments: jsonObject(text) };
  const named = { ...call, ...(namespace !== undefined && { namespace }), name };
  return kind === 'custom'
    ? { id: `ctc_${id}`, type: 'custom_tool_call', ...named, input: customInput(text) }
    : { id: `fc_${id}`, type: 'function_call', ...named, arguments: text };
}

/** The same item before anything of it is known. */
export function begunItem(item: Item): Item {
  switch (item.type) {
    case 'message':
      return { ...item, status: 'in_progress', content: [] };
    case 'reasoning':
      return { ...item, summary: [] };
    case 'compaction':
      return item;
    case 'web_search_call':
    case 'file_search_call':
    case 'code_interpreter_call':
    case 'x_search_call':
    case 'image_generation_call':
      return begunHostedItem(item);
    case 'custom_tool_call':
      return { ...item, status: 'in_progress', input: '' };
    case 'tool_search_call':
      return { ...item, status: 'in_progress', arguments: {} };
    default:
      return { ...item, status: 'in_progress', arguments: '' };
  }
}

export function isSummarized(block: PlannedBlock, request: ResponsesRequest): boolean {
  return block.type === 'reasoning' && request.showsSummary && !block.isRedacted;
}

/** What a tool that takes text is called with. */
export function customInput(text: string): string {
  return textIn(jsonObject(text).input);
}

/** The log probabilities of a text, each token with its alternatives; none where they were not asked for. */
export function logprobsOf(pieces: readonly Piece[], top: number | null): object[] {
  if (top === null) return [];
  return pieces.map(({ text }) => ({
    ...logprobOf(text),
    bytes: [...Buffer.from(text)],
    top_logprobs: alternativesTo(text, top).map((other) => ({ ...other, bytes: [...Buffer.from(other.token)] })),
  }));
}

export function annotationsOf({ pieces, citations }: TextBlock): object[] {
  const end = textOf(pieces).length;
  return citations.map(({ title, url }) => ({ type: 'url_citation', start_index: 0, end_index: end, title, url }));
}

function textPart(block: TextBlock, { topLogprobs }: ResponsesRequest): Item {
  const text = textOf(block.pieces);
  const logprobs = logprobsOf(block.pieces, topLogprobs);
  return { type: 'output_text', text, annotations: annotationsOf(block), logprobs };
}

function messageItem(id: string, part: Item): Item {
  return { id: `msg_${id}`, type: 'message', status: 'completed', role: 'assistant', content: [part] };
}
