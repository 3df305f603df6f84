import type { ServedTerms, TokenUsage } from '@tollgate/contracts';
import { served, servedTier, toldNanoUsd, usedUnits } from '../canonical/served-terms';
import { isRecord, recordIn } from '../wire/json-value';

/**
 * Reads the usage of a response. Input includes cached tokens, output includes reasoning; `service_tier` is
 * the one that served it. Null where nothing is told.
 * https://platform.openai.com/docs/api-reference/responses/object#responses/object-usage
 */
export function readUsage(response: Record<string, unknown>): TokenUsage | null {
  const { usage } = response;
  if (!isRecord(usage)) return null;
  const input = count(usage.input_tokens);
  if (input === 0) return null;
  const output = count(usage.output_tokens);
  const details = recordIn(usage, 'input_tokens_details');
  const written = Math.min(input, count(details.cache_write_tokens));
  const forHours = isForHours(response);
  return {
    input,
    output,
    cachedInput: Math.min(input, count(details.cached_tokens)),
    cacheWrite5m: forHours ? 0 : written,
    cacheWrite1h: forHours ? written : 0,
    reasoning: Math.min(output, count(recordIn(usage, 'output_tokens_details').reasoning_tokens)),
    audioInput: 0,
    audioOutput: 0,
    ...served({
      tier: servedTier(response.service_tier),
      units: isRecord(usage.server_side_tool_usage_details) ? toolsOfXai(usage) : toolsOf(response),
      toldNanoUsd: toldCharge(usage),
    }),
  };
}

/**
 * How xAI's tools are called by its usage, which alone tells their number at the end.
 * https://docs.x.ai/developers/tools/tool-usage-details
 */
const xaiTools: Readonly<Record<string, string>> = {
  web_search_call: 'webSearch',
  x_search_call: 'xSearch',
  code_interpreter_call: 'codeExecution',
  file_search_call: 'fileSearch',
};

/** What the provider's own tools did in an answer that was cut off, by the items that it had told. */
export function toolsSeen(response: Record<string, unknown>, providerId: string | undefined): ServedTerms['units'] {
  if (providerId !== 'xai') return toolsOf(response);
  const items = Array.isArray(response.output) ? response.output.filter(isRecord) : [];
  const uses: Record<string, number> = {};
  for (const { type } of items) {
    const unit = xaiTools[String(type)];
    if (unit !== undefined) uses[unit] = (uses[unit] ?? 0) + 1;
  }
  return usedUnits(uses);
}

/**
 * True where what the request wrote into the cache stays there for hours (OpenAI: 12, at twice the price of
 * 30 minutes): the response repeats the lifetime that was applied to each of its breakpoints. Chat
 * completions know the short one only.
 * https://developers.openai.com/api/docs/guides/prompt-caching#cache-lifetime
 * https://github.com/openai/openai-node (src/resources/responses/responses.ts, PromptCacheOptions)
 */
function isForHours(response: Record<string, unknown>): boolean {
  const { ttl } = recordIn(response, 'prompt_cache_options');
  return typeof ttl === 'string' && /^\d+h$/.test(ttl);
}

/**
 * What the provider's own tools did, by the items of the answer: of a web search only its searches are
 * charged, not the pages it opens; code and the shells that are not the caller's own run in containers,
 * charged by the session. A shell of the caller's has none (`environment` of a `shell_call`:
 * https://platform.openai.com/docs/guides/tools-shell).
 * https://platform.openai.com/docs/guides/tools-web-search#output-and-citations
 * https://developers.openai.com/api/docs/pricing#built-in-tools
 */
function toolsOf(response: Record<string, unknown>): ServedTerms['units'] {
  const { output, tools } = response;
  const items = Array.isArray(output) ? output.filter(isRecord) : [];
  const of = (type: string): Record<string, unknown>[] => items.filter((item) => item.type === type);
  const searches = of('web_search_call').filter((item) => (recordIn(item, 'action').type ?? 'search') === 'search');
  const isPreview = ({ type }: Record<string, unknown>): boolean => String(type).startsWith('web_search_preview');
  const preview = Array.isArray(tools) && tools.filter(isRecord).some(isPreview);
  const shells = of('shell_call').flatMap(({ environment }) =>
    isRecord(environment) && environment.type === 'container_reference' ? [environment.container_id] : [],
  );
  return usedUnits({
    [preview ? 'webSearchPreview' : 'webSearch']: searches.length,
    fileSearch: of('file_search_call').length,
    ...sessionsOf(
      of('code_interpreter_call').map((item) => item.container_id),
      shells,
      tools,
    ),
    ...(imageTokens(response) ?? { imageGeneration: of('image_generation_call').length }),
    ...otherTools(items),
  });
}

/**
 * What the model that made images used, whose tokens are no part of the response's own: `tool_usage` tells
 * them, and the tool as the response repeats it names the model. Units, since they are charged at the prices
 * of another model, whatever tier serves the response. Null: none were told, or not whose.
 * https://github.com/Wei-Shaw/sub2api/issues/4644 https://github.com/Wei-Shaw/sub2api/issues/1999
 * https://developers.openai.com/api/docs/guides/image-generation What of the images came from the cache is
 * read where it is told as the endpoint for images tells it: https://github.com/Laisky/one-api/pull/401
 */
function imageTokens(response: Record<string, unknown>): Record<string, number> | null {
  const told = recordIn(recordIn(response, 'tool_usage'), 'image_gen');
  const { model } = declared(response.tools, 'image_generation') ?? {};
  const [input, output] = [count(told.input_tokens), count(told.output_tokens)];
  if (input + output === 0 || typeof model !== 'string') return null;
  const details = recordIn(told, 'input_tokens_details');
  const imageInput = Math.min(input, count(details.image_tokens));
  const cachedImages = Math.min(imageInput, count(recordIn(details, 'cached_tokens_details').image_tokens));
  // Without the details all of it is the image: text is what a model of this kind seldom writes.
  const textOutput = Math.min(output, count(recordIn(told, 'output_tokens_details').text_tokens));
  const name = model.replace(/-\d{4}-\d{2}-\d{2}$/, '').slice(0, 40);
  return {
    [`${name} text input`]: input - imageInput,
    [`${name} image input`]: imageInput - cachedImages,
    [`${name} cached image input`]: cachedImages,
    [`${name} text output`]: textOutput,
    [`${name} image output`]: output - textOutput,
  };
}

/** A tool as the response repeats it; undefined: none of this type. */
function declared(tools: unknown, type: string): Record<string, unknown> | undefined {
  return Array.isArray(tools) ? tools.filter(isRecord).find((tool) => tool.type === type) : undefined;
}

/**
 * Containers by their memory, which the tool tells that began them; 1 GB is the usual one. Containers named
 * by id tell no size and count as 1 GB.
 * A session is billed by the minute since 2 June 2026, with a minimum of five minutes. Answers do not tell
 * the minutes: each counts as one whole session.
 * https://developers.openai.com/api/docs/guides/tools-code-interpreter
 * https://developers.openai.com/api/docs/changelog https://github.com/openai/openai-node
 * (src/resources/responses/responses.ts, ContainerAuto)
 */
function sessionsOf(ran: readonly unknown[], shells: readonly unknown[], tools: unknown): Record<string, number> {
  const coded = sessionOf(tools, 'code_interpreter', 'container');
  const shelled = sessionOf(tools, 'shell', 'environment');
  const others = new Set(shells.filter((id) => !ran.includes(id))).size;
  const sessions = { [coded]: new Set(ran).size };
  return { ...sessions, [shelled]: (sessions[shelled] ?? 0) + others };
}

/**
 * What a session of the tool's container is counted as: `codeSession`, with its memory behind it where that
 * is not 1 GB.
 */
function sessionOf(tools: unknown, type: string, place: string): string {
  const { memory_limit: memory } = recordIn(declared(tools, type) ?? {}, place);
  return typeof memory !== 'string' || memory === '1g' ? 'codeSession' : `codeSession${memory.slice(0, 8)}`;
}

/**
 * Calls whose price is in the tokens, since the caller or a server of its own does the work, and those that
 * are counted above.
 */
const countedElsewhere = [
  ...['function_call', 'custom_tool_call', 'mcp_call', 'computer_call', 'tool_search_call', 'apply_patch_call'],
  ...['local_shell_call', 'shell_call', 'web_search_call', 'file_search_call', 'code_interpreter_call'],
  'image_generation_call',
];

/** Calls of a kind that nothing is known of, by its own name, for which no price is known either. */
function otherTools(items: readonly Record<string, unknown>[]): Record<string, number> {
  const uses: Record<string, number> = {};
  for (const item of items) {
    const type = String(item.type);
    if (!type.endsWith('_call') || countedElsewhere.includes(type)) continue;
    uses[type] = (uses[type] ?? 0) + 1;
  }
  return uses;
}

/** xAI counts its tools itself; undefined: another provider's usage. https://docs.x.ai/developers/pricing */
export function toolsOfXai(usage: Record<string, unknown>): ServedTerms['units'] {
  const calls = recordIn(usage, 'server_side_tool_usage_details');
  return usedUnits({
    webSearch: count(calls.web_search_calls),
    xSearch: count(calls.x_search_calls),
    xPost: count(calls.x_posts_fetched),
    xProfile: count(calls.x_users_fetched),
    codeExecution: count(calls.code_interpreter_calls),
    fileSearch: count(calls.file_search_calls),
    attachmentSearch: count(calls.document_search_calls),
    imageGeneration: count(calls.image_generation_calls),
  });
}

/**
 * What the provider says that the request costs: xAI in ticks of 1e-10 dollars
 * (https://docs.x.ai/developers/cost-tracking), Perplexity in dollars with its parts, OpenRouter in dollars.
 * Where the account has a key of the model's provider, OpenRouter's `cost` is its own fee alone and the
 * provider's charge stands beside it (https://openrouter.ai/docs/cookbook/administration/usage-accounting);
 * with other keys the same member repeats `cost` (https://github.com/ORO-AI/oro/releases/tag/v3.0.4).
 * Undefined: nothing is told, or a part only.
 */
export function toldCharge(usage: Record<string, unknown>): string | undefined {
  const { cost, cost_in_usd_ticks: ticks, is_byok: isOwnKey } = usage;
  if (typeof ticks === 'number') return toldNanoUsd(ticks / 1e10);
  if (isRecord(cost)) return toldNanoUsd(cost.total_cost);
  if (isOwnKey !== true) return toldNanoUsd(cost);
  const { upstream_inference_cost: providers } = recordIn(usage, 'cost_details');
  return typeof cost === 'number' && typeof providers === 'number' ? toldNanoUsd(cost + providers) : undefined;
}

function count(value: unknown): number {
  return typeof value === 'number' && Number.isFinite(value) && value > 0 ? Math.round(value) : 0;
}
