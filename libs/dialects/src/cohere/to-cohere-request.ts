import type { ProviderRequest } from '../canonical/codec';
import { describedSchema } from '../canonical/described-schema';
import type { CanonicalRequest, ReasoningSetting, ToolDefinition } from '../canonical/generation-request';
import { invalid } from '../canonical/request-fields';
import type { UpstreamTarget } from '../provider-dialect';
import { isRecord, recordIn } from '../wire/json-value';
import { toMessages } from './to-messages';

/** Modes of citations that have none. https://docs.cohere.com/reference/chat#request.body.citation_options */
const without: readonly unknown[] = ['OFF', 'DISABLED'];

type Warn = (warning: string) => void;

const mostStopSequences = 5;

/**
 * Our own scale of tokens for efforts; null: as much as the model likes, which is Cohere's default.
 * https://docs.cohere.com/docs/reasoning
 */
const budgets = { minimal: 1_024, low: 2_048, medium: 8_192, high: null, xhigh: null, max: null };

/**
 * Fields of Cohere's own that a caller may send in any dialect, which has none of these names:
 * https://docs.cohere.com/reference/chat
 */
export const takenExtra: readonly string[] = ['documents', 'citation_options', 'safety_mode'];

/** A request of version 2 of chat. https://docs.cohere.com/reference/chat */
export function toCohereRequest(request: CanonicalRequest, target: UpstreamTarget): ProviderRequest {
  const warnings = new Set<string>();
  const warn = (warning: string): void => void warnings.add(warning);
  const format = toResponseFormat(request, warn);
  const untold = untoldCitations(request.extra ?? {});
  if (untold !== null) warn(untold);
  const body = {
    ...request.extra,
    model: target.upstreamModel,
    messages: [...format.instruction, ...toMessages(request.messages, target, warn)],
    stream: request.stream,
    ...toTools(request, warn),
    ...toSampling(request, warn),
    response_format: format.responseFormat,
    thinking: toThinking(request.reasoning, target, warn),
  };
  return {
    path: '/chat',
    headers: {
      'content-type': 'application/json',
      accept: request.stream ? 'text/event-stream' : 'application/json',
    },
    body: Object.fromEntries(Object.entries(body).filter(([, value]) => value !== undefined)),
    warnings: [...warnings],
  };
}

/** How an answer is bound to JSON: by `response_format`, or by a system message. */
interface CohereFormat {
  responseFormat?: Record<string, unknown>;
  instruction: Record<string, unknown>[];
}

/** The format cannot stand beside tools or documents. https://docs.cohere.com/docs/structured-outputs */
function toResponseFormat(
  { responseFormat, tools = [], extra }: CanonicalRequest,
  warn: (warning: string) => void,
): CohereFormat {
  if (responseFormat === undefined || responseFormat.type === 'text') return { instruction: [] };
  const schema = responseFormat.type === 'json-schema' ? describedSchema(responseFormat) : undefined;
  if (tools.length === 0 && extra?.documents === undefined)
    return { responseFormat: { type: 'json_object', ...(schema && { json_schema: schema }) }, instruction: [] };
  warn('the JSON format was asked for in words and is not enforced: Cohere does not take it beside tools or documents');
  const what =
    'When you do not call a tool, answer with one JSON value and nothing else: no words around it and no code fence.';
  const content = schema === undefined ? what : `${what} It must fit this JSON schema: ${JSON.stringify(schema)}`;
  return { instruction: [{ role: 'system', content }] };
}

/**
 * `thinking`; undefined where there is nothing to say. Models that reason do so unless they are told not to.
 */
function toThinking(
  setting: ReasoningSetting | undefined,
  { model }: UpstreamTarget,
  warn: (warning: string) => void,
): Record<string, unknown> | undefined {
  if (setting === undefined) return undefined;
  const { off, effort, budgetTokens } = setting;
  const isOff = off === true || effort === 'none';
  if (!model.capabilities.reasoning) {
    if (!isOff) warn(`reasoning was dropped: ${model.id} has no setting for it`);
    return undefined;
  }
  if (isOff) return { type: 'disabled' };
  const tokens = budgetTokens ?? (effort === undefined ? null : budgets[effort]);
  return tokens === null ? { type: 'enabled' } : { type: 'enabled', token_budget: tokens };
}

/**
 * The limits and the sampling, in Cohere's ranges: https://docs.cohere.com/reference/chat, and that of the
 * temperature: https://github.com/cohere-ai/cohere-developer-experience/pull/523
 * @throws GatewayError 400 for too many stop sequences.
 */
function toSampling(request: CanonicalRequest, warn: Warn): Record<string, unknown> {
  const { maxOutputTokens, temperature, topP, topK, seed, presencePenalty, frequencyPenalty, logprobs } = request;
  if (logprobs && logprobs.top > 0) warn('top_logprobs was dropped: Cohere tells those of the chosen tokens only');
  return {
    max_tokens: maxOutputTokens,
    temperature: within('temperature', temperature, [0, 1], warn),
    p: within('top_p', topP, [0.01, 0.99], warn),
    k: within('top_k', topK, [0, 500], warn),
    stop_sequences: stopSequences(request.stop),
    seed: within('seed', seed, [0, Number.MAX_SAFE_INTEGER], warn),
    presence_penalty: within('presence_penalty', presencePenalty, [0, 1], warn),
    frequency_penalty: within('frequency_penalty', frequencyPenalty, [0, 1], warn),
    logprobs: logprobs && true,
  };
}

function within(
  name: string,
  value: number | undefined,
  [least, most]: readonly [number, number],
  warn: Warn,
): number | undefined {
  if (value === undefined) return undefined;
  const clamped = Math.min(most, Math.max(least, value));
  if (clamped !== value) warn(`${name} ${value} was clamped to ${clamped}: Cohere takes ${least} to ${most}`);
  return clamped;
}

function stopSequences(stop: readonly string[] = []): string[] | undefined {
  const sequences = stop.filter((sequence) => sequence !== '');
  if (sequences.length > mostStopSequences)
    throw invalid('stop', `holds ${sequences.length} sequences; Cohere takes ${mostStopSequences}`);
  return sequences.length === 0 ? undefined : sequences;
}

/**
 * `tools`, `tool_choice` and `strict_tools`; nothing where there are no tools. A tool that must be called by
 * name is the only one that is offered, because Cohere can be told only to call some tool.
 * https://docs.cohere.com/docs/tool-use-parameters @throws GatewayError 400 for a choice that the tools do
 * not allow.
 */
function toTools(
  { tools = [], toolChoice }: CanonicalRequest,
  warn: (warning: string) => void,
): Record<string, unknown> {
  const offered = toolChoice?.type === 'tool' ? tools.filter(({ name }) => name === toolChoice.name) : tools;
  const isForced = toolChoice?.type === 'tool' || toolChoice?.type === 'required';
  if (offered.length === 0) {
    if (isForced) throw invalid('tool_choice', 'asks for a tool that is not among the tools');
    return {};
  }
  const isStrict = offered.some(({ strict }) => strict === true);
  if (isStrict && !offered.every(({ strict }) => strict === true))
    warn('strict was applied to every tool: Cohere knows it for all tools or for none');
  return {
    tools: offered.map(definition),
    ...(isForced && { tool_choice: 'REQUIRED' }),
    ...(toolChoice?.type === 'none' && { tool_choice: 'NONE' }),
    ...(isStrict && { strict_tools: true }),
  };
}

/** Parameters are required, also of a tool that takes none. */
function definition({ name, description, parameters }: ToolDefinition): object {
  const schema = { type: 'object', ...(parameters ?? { properties: {} }) };
  return { type: 'function', function: { name, ...(description && { description }), parameters: schema } };
}

/**
 * What a caller is told where the answer will cite documents that no caller's dialect can name: all of them
 * name a source by its address, and documents are cited by what stands in their `data`. Null: there are none.
 * https://docs.cohere.com/docs/rag-citations
 */
function untoldCitations({ documents, citation_options: options }: Record<string, unknown>): string | null {
  if (!Array.isArray(documents) || (isRecord(options) && without.includes(options.mode))) return null;
  const isNamed = documents.every((document) => typeof recordIn(document, 'data').url === 'string');
  return isNamed ? null : 'citations of documents were dropped: only those with a url in their data can be named';
}
