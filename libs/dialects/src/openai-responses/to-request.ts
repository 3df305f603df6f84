import type { ProviderRequest } from '../canonical/codec';
import type { CanonicalRequest, ResponseFormat, ToolChoice, ToolDefinition } from '../canonical/generation-request';
import { endUser } from '../canonical/end-user';
import { toNamedEffort } from '../canonical/reasoning-effort';
import { shortNames } from '../canonical/short-names';
import { strictFor, toParameters, withPlainRoot } from '../openai-chat/tool-parameters';
import type { SchemaSite } from '../openai-chat/tool-parameters';
import type { WebSearch } from '../canonical/web-search';
import type { UpstreamTarget } from '../provider-dialect';
import { knownFreeText, toInput } from './to-input';
import { defined } from '../wire/json-value';

/**
 * The least output limit that OpenAI takes:
 * https://platform.openai.com/docs/api-reference/responses/create#responses-create-max_output_tokens
 */
const leastOutputTokens = 16;

/**
 * Writes a responses request. Nothing is kept at the provider, and reasoning comes back sealed, so that a
 * tool loop can go on with it.
 * https://platform.openai.com/docs/api-reference/responses/create
 */
export function toRequest(request: CanonicalRequest, target: UpstreamTarget): ProviderRequest {
  const warnings: string[] = [];
  const site = { surface: request.surface, target, warnings };
  const { instructions, input } = toInput(request, target, warnings);
  const { verbosity, ...extra } = request.extra ?? {};
  const written: Record<string, unknown> = {
    ...extra,
    ...shortNames((field) => extra[field], target, warnings),
    model: target.upstreamModel,
    instructions,
    input,
    ...toolMembers(request, knownFreeText(request, target), site),
    max_output_tokens: outputLimit(request, warnings),
    temperature: request.temperature,
    top_p: request.topP,
    top_logprobs: request.logprobs?.top,
    text: textMember(request.responseFormat, verbosity, site),
    reasoning: reasoningMember(request, target, warnings),
    user: endUser(request, warnings),
    metadata: request.metadata,
    store: false,
    include: includeMember(request, target),
    stream: target.stream ? true : undefined,
  };
  const body = defined(written);
  for (const field of target.provider.quirks.dropFields) {
    if (!Object.hasOwn(body, field)) continue;
    delete body[field];
    warnings.push(`${field} was dropped: ${target.provider.name} does not take it`);
  }
  return {
    path: '/responses',
    headers: { 'content-type': 'application/json', accept: target.stream ? 'text/event-stream' : 'application/json' },
    body,
    warnings,
  };
}

function toolMembers(
  request: CanonicalRequest,
  freeText: ReadonlySet<string>,
  site: SchemaSite,
): Record<string, unknown> {
  const { tools = [], webSearch, codeExecution, toolChoice, parallelToolCalls } = request;
  if (tools.length === 0 && !webSearch && !codeExecution) return {};
  return {
    tools: [
      ...tools.map((tool) => toTool(tool, freeText, site)),
      ...(webSearch ? [toWebSearch(webSearch)] : []),
      // https://platform.openai.com/docs/guides/tools-code-interpreter
      ...(codeExecution ? [{ type: 'code_interpreter', container: { type: 'auto' } }] : []),
    ],
    tool_choice: toolChoice && toToolChoice(toolChoice, freeText),
    parallel_tool_calls: parallelToolCalls,
    // It counts the calls of all tools that run at OpenAI.
    max_tool_calls: codeExecution ? undefined : webSearch?.maxUses,
  };
}

/** https://platform.openai.com/docs/guides/function-calling#custom-tools */
function toTool(asked: ToolDefinition, known: ReadonlySet<string>, site: SchemaSite): Record<string, unknown> {
  if (known.has(asked.name)) return { type: 'custom', name: asked.name, ...asked.freeText };
  const { name, description, parameters: schema = {}, strict } = withPlainRoot(asked, site);
  // A schema must be one of an object, and say so.
  const parameters = { type: 'object', properties: {}, ...toParameters(schema, site) };
  return {
    type: 'function',
    name,
    description,
    parameters,
    // Left out it would mean true here, which most schemas do not satisfy.
    strict: strictFor(strict, `the tool ${name}`, parameters, site) ?? false,
  };
}

/** https://platform.openai.com/docs/guides/tools-web-search https://github.com/vercel/ai/pull/18035 */
function toWebSearch({ allowedDomains, blockedDomains, location, contextSize }: WebSearch): Record<string, unknown> {
  const isFiltered = allowedDomains !== undefined || blockedDomains !== undefined;
  return {
    type: 'web_search',
    filters: isFiltered ? { allowed_domains: allowedDomains, blocked_domains: blockedDomains } : undefined,
    user_location: location && { type: 'approximate', ...location },
    search_context_size: contextSize,
  };
}

function toToolChoice(choice: ToolChoice, freeText: ReadonlySet<string>): unknown {
  // A choice of a search by its type is named for the older one only.
  // https://platform.openai.com/docs/api-reference/responses/create#responses-create-tool_choice
  if (choice.type === 'web-search') return { type: 'allowed_tools', mode: 'required', tools: [{ type: 'web_search' }] };
  if (choice.type !== 'tool') return choice.type;
  return { type: freeText.has(choice.name) ? 'custom' : 'function', name: choice.name };
}

function outputLimit({ maxOutputTokens }: CanonicalRequest, warnings: string[]): number | undefined {
  if (maxOutputTokens === undefined || maxOutputTokens >= leastOutputTokens) return maxOutputTokens;
  warnings.push(`the output limit of ${maxOutputTokens} tokens became ${leastOutputTokens}: OpenAI takes no less`);
  return leastOutputTokens;
}

function textMember(format: ResponseFormat | undefined, verbosity: unknown, site: SchemaSite): object | undefined {
  if (format === undefined && verbosity === undefined) return undefined;
  return { ...(format && { format: toFormat(format, site) }), ...(verbosity !== undefined && { verbosity }) };
}

function toFormat(format: ResponseFormat, site: SchemaSite): object {
  if (format.type === 'text') return { type: 'text' };
  if (format.type === 'json-object') return { type: 'json_object' };
  const { name, description, schema } = format;
  const strict = strictFor(format.strict, 'the answer', schema, site);
  return { type: 'json_schema', name, description, schema, strict };
}

function reasoningMember(
  { reasoning }: CanonicalRequest,
  target: UpstreamTarget,
  warnings: string[],
): object | undefined {
  if (reasoning === undefined) return undefined;
  const taken = toNamedEffort(reasoning, target, warnings, 'responses');
  const { summary } = reasoning;
  const shown = summary === 'none' || !target.model.capabilities.reasoning ? undefined : summary;
  return taken === undefined && shown === undefined ? undefined : { effort: taken, summary: shown };
}

function includeMember({ logprobs }: CanonicalRequest, { model }: UpstreamTarget): string[] | undefined {
  const include = [
    ...(model.capabilities.reasoning ? ['reasoning.encrypted_content'] : []),
    ...(logprobs ? ['message.output_text.logprobs'] : []),
  ];
  return include.length > 0 ? include : undefined;
}
