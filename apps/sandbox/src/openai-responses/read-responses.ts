import { splitModel } from '../behaviour/read-behaviour';
import { checkEffort, checkSampling } from '../openai-chat/openai-limits';
import { cacheLifetime, tellsCacheWrites } from '../openai-chat/prompt-cache-options';
import { inputOf } from '../request/input-text';
import { unasked, webPage } from '../request/neutral-request';
import type { NeutralRequest } from '../request/neutral-request';
import {
  checkCallerNames,
  demandKnown,
  demandOneOf,
  flagIn,
  limitIn,
  memberOf,
  objects,
  optionalObjects,
  textIn,
  textsIn,
  tierFor,
} from '../request/read-values';
import { isRecord } from '../request/record';
import { demand } from '../request/refusal';
import { wantsClosed } from '../openai-chat/read-tools';
import { demandSaid } from '../request/strict-schema';
import { lookBack } from '../request/turns';
import type { Addressed } from '../speech/simulated-dialect';
import { checkMembers, readFormat } from './check-members';
import { feesOf, imageModel, readHosted } from './read-hosted';
import { readItems } from './read-items';
import { readChoice, readTool, toolItems } from './read-tools';
import type { CallerTool, ReadTool } from './read-tools';
import { checkXai } from './xai-rules';

const knownFields = [
  'model',
  'input',
  'instructions',
  'stream',
  'stream_options',
  'max_output_tokens',
  'max_tool_calls',
  'temperature',
  'top_p',
  'top_logprobs',
  'text',
  'tools',
  'tool_choice',
  'parallel_tool_calls',
  'reasoning',
  'include',
  'store',
  'metadata',
  'user',
  'safety_identifier',
  'prompt_cache_key',
  'prompt_cache_retention',
  // https://developers.openai.com/api/docs/guides/prompt-caching
  'prompt_cache_options',
  'service_tier',
  'truncation',
  'background',
  'previous_response_id',
  'conversation',
  'prompt',
  // Codex sends it with every request:
  // https://github.com/openai/codex/blob/main/codex-rs/codex-api/src/common.rs
  'client_metadata',
  // https://developers.openai.com/api/reference/resources/responses/methods/create
  'image',
  'context_management',
  'moderation',
];

/**
 * Without it a request may ask for no agents.
 * https://developers.openai.com/api/docs/guides/responses-multi-agent
 */
const agentsBeta = 'responses_multi_agent=v1';

/**
 * What a request to compact may hold: https://platform.openai.com/docs/api-reference/responses/compact
 * and what Codex sends beside it: https://github.com/openai/codex/blob/main/codex-rs/codex-api/src/common.rs
 */
const compactFields = [
  ...['model', 'input', 'instructions', 'previous_response_id', 'prompt_cache_key', 'prompt_cache_options'],
  ...['prompt_cache_retention', 'service_tier', 'tools', 'parallel_tool_calls', 'reasoning', 'text'],
];

/**
 * What a response may show besides its output.
 * https://platform.openai.com/docs/api-reference/responses/create#responses-create-include
 */
const includable = [
  'file_search_call.results',
  'web_search_call.results',
  'web_search_call.action.sources',
  'message.input_image.image_url',
  'computer_call_output.output.image_url',
  'code_interpreter_call.outputs',
  'reasoning.encrypted_content',
  'message.output_text.logprobs',
];

/** A responses request. */
export interface ResponsesRequest extends NeutralRequest {
  showsSummary: boolean;
  showsSealed: boolean;
  /** How the caller knows the tools that are offered, by the names under which they are. */
  callerTools: ReadonlyMap<string, CallerTool>;
  /**
   * The messages of the user, where the conversation is to be compacted at the address for it. Null: it is
   * not.
   */
  kept: readonly Record<string, unknown>[] | null;
  /** Its answer is an item that stands for the conversation. */
  compacts: boolean;
  /** What serves it. */
  tier: string;
  /** It is xAI that is asked, which counts its tools in the usage. */
  isXai: boolean;
  /** The request's own settings, which the response repeats. */
  repeated: Record<string, unknown>;
}

function checkSaid({ name, schema, caller }: ReadTool): void {
  if (caller.kind === null && isRecord(schema)) demandSaid(schema, `function '${name}'`, 'tools');
}

/**
 * Reads a responses request as strictly as OpenAI.
 * https://platform.openai.com/docs/api-reference/responses/create
 * @throws Refusal
 */
export function readResponses(body: Record<string, unknown>, { path, betas, provider }: Addressed): ResponsesRequest {
  const isCompact = path.endsWith('/compact');
  const known = isCompact ? compactFields : knownFields;
  const fields = betas.includes(agentsBeta) ? [...known, 'multi_agent'] : known;
  for (const name of Object.keys(body))
    demand(fields.includes(name), `Unknown parameter: '${name}'.`, { param: name, code: 'unknown_parameter' });
  const missing = { code: 'missing_required_parameter' };
  demand(typeof body.model === 'string' && body.model !== '', "Missing required parameter: 'model'.", missing);
  checkMembers(body);
  checkCallerNames(body);
  demand(body.input !== undefined, "Missing required parameter: 'input'.", { ...missing, param: 'input' });
  const input = typeof body.input === 'string' ? [{ role: 'user', content: body.input }] : objects(body.input, 'input');
  const tools = optionalObjects(body.tools, 'tools');
  const isXai = provider === 'xai' || (provider === '' && /^grok-/.test(body.model));
  if (isXai) checkXai(body, tools, input);
  const isClosed = wantsClosed(body.model, provider);
  const offered = [
    ...tools.flatMap((tool, index) => readTool(tool, `tools[${index}]`, isClosed)),
    ...input.flatMap((item, at) => (toolItems.includes(textIn(item.type)) ? toolsOf(item, at, isClosed) : [])),
  ];
  if (!isXai) for (const tool of offered) checkSaid(tool);
  const hosted = readHosted(tools, isXai);
  const compacts = isCompact || textIn(input.at(-1)?.type) === 'compaction_trigger';
  const include = readInclude(body.include);
  const reasoning = readReasoning(body.reasoning);
  const { name } = splitModel(body.model);
  const { effort } = memberOf(body, 'reasoning');
  checkEffort(name, effort, 'reasoning.effort', 'responses');
  checkSampling(body, name, effort);
  const lifetime = cacheLifetime(body, name, 'responses');
  const cached = typeof body.prompt_cache_key === 'string' ? cachedParts(body, input) : null;
  return {
    ...unasked,
    model: body.model,
    stream: flagIn(body.stream, 'stream') === true,
    ...lookBack(readItems(input, body.store !== false, provider)),
    // What compacts calls nothing.
    tools: compacts ? [] : offered,
    kept: isCompact ? input.filter(({ type = 'message', role }) => type === 'message' && role === 'user') : null,
    compacts,
    toolChoice: readChoice(body.tool_choice, tools),
    takesParallelCalls: flagIn(body.parallel_tool_calls, 'parallel_tool_calls') !== false,
    reasons: reasoning.effort !== null && reasoning.effort !== 'none',
    showsSummary: reasoning.summary,
    showsSealed: include.includes('reasoning.encrypted_content'),
    callerTools: new Map(offered.map(({ name, caller }) => [name, caller])),
    schema: readFormat(memberOf(body, 'text').format, input, isClosed),
    maxTokens: limitIn(body.max_output_tokens, 'max_output_tokens'),
    topLogprobs: include.includes('message.output_text.logprobs') ? Number(body.top_logprobs ?? 0) : null,
    sources: hosted.includes('webSearch') ? [webPage] : [],
    hosted,
    isXai,
    fees: feesOf(hosted),
    ...inputOf(body.instructions ?? '', input, tools),
    cached,
    cachedForHours: lifetime === '12h' ? (cached?.length ?? 0) : 0,
    writesForNothing: !tellsCacheWrites(name),
    tier: tierFor(body.service_tier),
    served: [tierFor(body.service_tier)].filter((tier) => tier !== 'default'),
    repeated: {
      ...repeatedOf(body),
      ...(tellsCacheWrites(name) && {
        prompt_cache_options: { mode: 'implicit', ...memberOf(body, 'prompt_cache_options'), ttl: lifetime },
      }),
    },
  };
}

function toolsOf({ tools }: Record<string, unknown>, at: number, isClosed: boolean): ReadTool[] {
  return optionalObjects(tools, `input[${at}].tools`).flatMap((tool, index) =>
    readTool(tool, `input[${at}].tools[${index}]`, isClosed),
  );
}

function readInclude(include: unknown): string[] {
  const names = textsIn(include, 'include', includable.length);
  for (const name of names) demandOneOf(name, 'include', includable);
  return names;
}

/** https://platform.openai.com/docs/guides/reasoning */
function readReasoning(reasoning: unknown): { effort: string | null; summary: boolean } {
  if (!isRecord(reasoning)) return { effort: null, summary: false };
  demandKnown(
    reasoning,
    ['effort', 'summary', 'generate_summary', 'context', 'mode'],
    (name) => `Unknown parameter: 'reasoning.${name}'.`,
  );
  const { effort, summary, context, mode } = reasoning;
  demandOneOf(effort, 'reasoning.effort', ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max']);
  const isUnset = effort === undefined || effort === null;
  const hasSummary = summary !== undefined && summary !== null;
  demandOneOf(summary, 'reasoning.summary', ['auto', 'concise', 'detailed']);
  demandOneOf(context, 'reasoning.context', ['auto', 'current_turn', 'all_turns']);
  demandOneOf(mode, 'reasoning.mode', ['standard', 'pro']);
  // A summary alone asks for the effort that is usual.
  return { effort: isUnset ? (hasSummary ? 'medium' : null) : textIn(effort), summary: hasSummary };
}

function cachedParts(body: Record<string, unknown>, input: readonly unknown[]): string[] {
  return [body.instructions ?? '', body.tools ?? [], ...input].map((part) => JSON.stringify(part));
}

function repeatedOf(body: Record<string, unknown>): Record<string, unknown> {
  return {
    instructions: body.instructions ?? null,
    max_output_tokens: body.max_output_tokens ?? null,
    parallel_tool_calls: body.parallel_tool_calls ?? true,
    previous_response_id: null,
    reasoning: body.reasoning ?? { effort: null, summary: null },
    store: body.store ?? true,
    temperature: body.temperature ?? 1,
    text: { format: { type: 'text' }, ...memberOf(body, 'text') },
    tool_choice: body.tool_choice ?? 'auto',
    tools: optionalObjects(body.tools, 'tools').map(withImageModel),
    top_p: body.top_p ?? 1,
    truncation: body.truncation ?? 'disabled',
    user: body.user ?? null,
    metadata: body.metadata ?? {},
  };
}

/** The tool that makes images is repeated with the model that does. */
function withImageModel(tool: Record<string, unknown>): Record<string, unknown> {
  return tool.type === 'image_generation' ? { model: imageModel, ...tool } : tool;
}
