import { invalid, RequestFields } from '../canonical/request-fields';
import { endUserOf } from '../openai-chat/read-request';
import type { MediaTally } from '../media/media-tally';
import type { Need, SurfaceRequest } from '../surface-dialect';
import { isRecord, recordIn } from '../wire/json-value';
import { bringsTools } from './caller-tools';
import { readState } from './kept-conversation';
import { mediaTallyOf } from './prompt-media';
import { asksForCompaction } from './summary-request';

/**
 * Validates a parsed responses request: strict about what the public API names, silent about everything else.
 * https://platform.openai.com/docs/api-reference/responses/create @throws GatewayError 400 naming the field.
 */
export function readRequest(body: unknown, bodyBytes: number): SurfaceRequest {
  const fields = RequestFields.of(body, '');
  const model = fields.text('model') ?? '';
  if (model === '') throw invalid('model', 'is required and must be a non-empty string');
  checkInput(fields);
  checkRange(fields, 'temperature', 2);
  checkRange(fields, 'top_p', 1);
  const maxOutputTokens = fields.integer('max_output_tokens') ?? null;
  if (maxOutputTokens !== null && maxOutputTokens < 1) throw invalid('max_output_tokens', 'must be a positive integer');
  fields.text('instructions');
  fields.list('tools');
  for (const name of ['text', 'reasoning', 'metadata']) fields.object(name);
  const tally = mediaTallyOf(fields.raw('input'));
  return {
    model,
    stream: fields.boolean('stream') ?? false,
    includeUsage: false,
    // Half a summary is none.
    maxOutputTokens: isRecord(body) && asksForCompaction(body) ? null : maxOutputTokens,
    ...tally.inputTokens(bodyBytes),
    ...needsOf(isRecord(body) ? body : {}, tally),
    state: readState(fields),
    endUser: isRecord(body) ? endUserOf(body) : undefined,
  };
}

function checkInput(fields: RequestFields): void {
  const input = fields.raw('input');
  // Where the prompt or the conversation is kept, there may be no new input; nor is there any where a
  // connection is only prepared.
  const isKept =
    fields.raw('generate') === false ||
    ['prompt', 'previous_response_id', 'conversation'].some((name) => fields.raw(name) !== undefined);
  if (input === undefined && isKept) return;
  if (typeof input === 'string') return;
  if (!Array.isArray(input) || (input.length === 0 && !isKept))
    throw invalid('input', 'is required and must be a string or a non-empty array of items');
  for (const [index, item] of input.entries()) RequestFields.of(item, `input[${index}]`);
}

function checkRange(fields: RequestFields, name: string, maximum: number): void {
  const value = fields.number(name);
  if (value !== undefined && (value < 0 || value > maximum))
    throw invalid(name, `must be a number from 0 to ${maximum}`);
}

function needsOf(body: Record<string, unknown>, tally: MediaTally): Pick<SurfaceRequest, 'needs' | 'media'> {
  const needs = new Set<Need>(tally.needs);
  const items = Array.isArray(body.input) ? body.input.filter(isRecord).filter(bringsTools) : [];
  if ([body, ...items].some(({ tools }) => Array.isArray(tools) && tools.length > 0)) needs.add('tools');
  if (recordIn(recordIn(body, 'text'), 'format').type === 'json_schema') needs.add('structured output');
  return { needs: [...needs], ...tally.media };
}
