import { fromAllowedTools } from '../canonical/allowed-tools';
import type { CanonicalRequest, ReasoningSetting, ResponseFormat, ToolChoice } from '../canonical/generation-request';
import { invalid, RequestFields } from '../canonical/request-fields';
import type { WebSearch } from '../canonical/web-search';
import { flatName, requiredName } from './caller-tools';
import { isClientTool } from './client-tools';
import { fromInput } from './from-input';
import { fromTools, searches } from './from-tools';
import { asksForCompaction, summaryRequest } from './summary-request';

const efforts = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'] as const;

/**
 * Reads a responses request for a model of another dialect.
 * https://platform.openai.com/docs/api-reference/responses/create
 * @throws GatewayError 400 naming the field, also for what only a provider that keeps prompts can do.
 */
export function fromRequest(asked: Record<string, unknown>): CanonicalRequest {
  const body = asksForCompaction(asked) ? summaryRequest(asked) : asked;
  const fields = RequestFields.of(body, '');
  refusePrompt(fields);
  refuseAgents(fields);
  // What a stream shows beside the answer is between the caller and the gateway; reasoning is always sealed
  // into the answer.
  fields.ignore('model', 'stream_options');
  // A conversation that is too long is refused unless the caller wants it cut.
  if (body.truncation === 'disabled') fields.ignore('truncation');
  const unread: string[] = [];
  const { tools, webSearch, codeExecution, lost } = fromTools(fields, unread);
  const text = textSettings(fields, unread);
  const request: CanonicalRequest = {
    surface: 'openai-responses',
    stream: fields.boolean('stream') ?? false,
    messages: fromInput(fields, { unread, lost }),
    tools,
    webSearch: withLimit(webSearch, fields.integer('max_tool_calls')),
    codeExecution,
    ...fromToolChoice(fields, { tools, webSearch }, unread),
    parallelToolCalls: fields.boolean('parallel_tool_calls'),
    maxOutputTokens: fields.integer('max_output_tokens'),
    temperature: fields.number('temperature'),
    topP: fields.number('top_p'),
    logprobs: logprobs(fields, unread),
    responseFormat: text.format,
    reasoning: reasoning(fields, unread),
    user: fields.text('user'),
    metadata: labels(fields),
    unread,
    ...(lost.length > 0 && { lost }),
  };
  const extra = { ...fields.rest(), ...(text.verbosity !== undefined && { verbosity: text.verbosity }) };
  return Object.keys(extra).length === 0 ? request : { ...request, extra };
}

/**
 * Of all tools that run at a provider, whose calls `max_tool_calls` counts, the search alone is offered
 * elsewhere.
 */
function withLimit(search: WebSearch | undefined, maxUses: number | undefined): WebSearch | undefined {
  return search && maxUses !== undefined ? { ...search, maxUses } : search;
}

/**
 * Responses are kept before and behind a model, which sees the whole conversation. Prompts are kept by OpenAI
 * alone.
 */
function refusePrompt(fields: RequestFields): void {
  if (fields.raw('prompt') !== undefined)
    throw invalid('prompt', "is not possible with this model: only OpenAI's own have kept prompts. Send its text");
  fields.ignore('background', 'store', 'previous_response_id', 'conversation');
}

/**
 * Several agents in one response run at OpenAI.
 * https://developers.openai.com/api/docs/guides/responses-multi-agent
 */
function refuseAgents(fields: RequestFields): void {
  const agents = fields.nested('multi_agent');
  if (agents?.boolean('enabled') === true)
    throw invalid('multi_agent', "is not possible with this model: only OpenAI's own have agents in a response");
}

function textSettings(fields: RequestFields, unread: string[]): { format?: ResponseFormat; verbosity?: string } {
  const text = fields.nested('text');
  if (text === undefined) return {};
  const format = text.nested('format');
  const verbosity = text.text('verbosity');
  text.finish(unread);
  return {
    ...(format !== undefined && { format: responseFormat(format, unread) }),
    ...(verbosity !== undefined && { verbosity }),
  };
}

function responseFormat(format: RequestFields, unread: string[]): ResponseFormat {
  const type = format.choice('type', ['text', 'json_object', 'json_schema']);
  if (type === undefined) throw invalid(format.path('type'), 'is required');
  const read: ResponseFormat =
    type === 'json_schema'
      ? {
          type: 'json-schema',
          name: format.requiredText('name'),
          description: format.text('description'),
          schema: format.object('schema') ?? {},
          strict: format.boolean('strict'),
        }
      : { type: type === 'text' ? 'text' : 'json-object' };
  format.finish(unread);
  return read;
}

/**
 * `include` asks for what an answer may hold beside its text; log probabilities are the one thing that must
 * be asked of the provider.
 */
function logprobs(fields: RequestFields, unread: string[]): CanonicalRequest['logprobs'] {
  const top = fields.integer('top_logprobs');
  const included = fields.list('include') ?? [];
  const known = ['reasoning.encrypted_content', 'message.output_text.logprobs'];
  for (const [index, item] of included.entries())
    if (typeof item !== 'string' || !known.includes(item)) unread.push(`include[${index}]`);
  const isAsked = included.includes('message.output_text.logprobs') || (top ?? 0) > 0;
  return isAsked ? { top: top ?? 0 } : undefined;
}

function reasoning(fields: RequestFields, unread: string[]): ReasoningSetting | undefined {
  const setting = fields.nested('reasoning');
  if (setting === undefined) return undefined;
  const effort = setting.choice('effort', efforts);
  const older = setting.choice('generate_summary', ['auto', 'concise', 'detailed']);
  const summary = setting.choice('summary', ['auto', 'concise', 'detailed', 'none']) ?? older;
  setting.finish(unread);
  return {
    ...(effort !== undefined && { effort }),
    ...(effort === 'none' && { off: true }),
    ...(summary !== undefined && { summary }),
  };
}

function labels(fields: RequestFields): Record<string, string> | undefined {
  const metadata = fields.object('metadata');
  if (metadata === undefined) return undefined;
  const entries = Object.entries(metadata).map(([name, value]): [string, string] => {
    if (typeof value !== 'string') throw invalid(`metadata.${name}`, 'must be a string');
    return [name, value];
  });
  return entries.length === 0 ? undefined : Object.fromEntries(entries);
}

/** Reads `tool_choice`. A choice of some tools only leaves the others out. */
function fromToolChoice(
  fields: RequestFields,
  { tools, webSearch }: Pick<CanonicalRequest, 'tools' | 'webSearch'>,
  unread: string[],
): Pick<CanonicalRequest, 'toolChoice' | 'tools'> {
  const choice = fields.raw('tool_choice');
  if (choice === undefined) return {};
  if (choice === 'none' || choice === 'auto' || choice === 'required') return { toolChoice: { type: choice } };
  if (typeof choice === 'string') throw invalid('tool_choice', 'must be none, auto, required or an object');
  const chosen = RequestFields.of(choice, 'tool_choice');
  const type = chosen.requiredText('type');
  if (type === 'allowed_tools') return fromAllowedTools(chosen, tools ?? [], chosenName, unread);
  const toolChoice: ToolChoice =
    webSearch && searches.test(type) ? { type: 'web-search' } : { type: 'tool', name: chosenName(chosen) };
  chosen.finish(unread);
  return { toolChoice };
}

/** The flat name of the tool that an object names. */
function chosenName(chosen: RequestFields): string {
  const type = chosen.requiredText('type');
  if (isClientTool(type)) return type;
  if (type !== 'function' && type !== 'custom')
    throw invalid(chosen.path('type'), `has the value '${type}', a tool that only OpenAI's own models have`);
  return flatName(chosen.text('namespace') ?? null, requiredName(chosen, 'name'));
}
