import { GatewayError } from '@tollgate/contracts';
import type { ProviderRequest } from '../canonical/codec';
import { endUser } from '../canonical/end-user';
import type { CanonicalRequest, ToolChoice, ToolDefinition } from '../canonical/generation-request';
import type { UpstreamTarget } from '../provider-dialect';
import { addressing } from './addressing';
import { factsOf, type ModelFacts } from './model-facts';
import { planStructuredOutput, type StructuredOutput } from './structured-output';
import { toMessages } from './to-messages';
import { toThinking } from './to-thinking';
import { wantedTools } from './wanted-tools';
import { longestUserId } from './within-limits';
import { rewordedTold, toldBeside, toToolSchema } from '../canonical/tool-schema';
import type { WebSearch } from '../canonical/web-search';
import { toCacheControl } from './cache-control';

/** For a model whose own limit is not known: what the smallest models of this dialect could write. */
const defaultMaxTokens = 4_096;

/**
 * Writes a messages request. https://platform.claude.com/docs/en/api/messages/create
 * @throws GatewayError 400 for what the model cannot take.
 */
export function toRequest(request: CanonicalRequest, target: UpstreamTarget): ProviderRequest {
  const warnings: string[] = [];
  const { path, headers, members } = addressing(target);
  const facts = factsOf(target);
  const plan = planStructuredOutput(request, target);
  // The caller's wish, or the tool in which the answer comes as JSON.
  const wanted = plan?.way === 'tool' ? choiceOfAnswer(request, plan.name) : request.toolChoice;
  const { choice, isForced, demand } = wantedTools(wanted, facts, warnings);
  const maxTokens = outputLimit(request, target);
  const { thinking, effort, thinks } = toThinking(request, { facts, maxTokens, forcesTool: isForced, warnings });
  const { system, messages } = toMessages(withDemand(request, demand), facts.systemMessages, warnings);
  const bound = boundThoughts(thinking, messages, facts, target);
  return {
    path,
    headers: { ...headers, ...bound.headers },
    body: Object.assign({}, request.extra, members, {
      max_tokens: maxTokens,
      system: system.length === 0 ? undefined : system,
      messages: bound.messages,
      ...toolMembers(request, choice, plan, facts, warnings),
      ...toSampling(request, target, facts, thinks, warnings),
      stop_sequences: stopSequences(request, warnings),
      thinking: bound.thinking,
      output_config: outputConfig(effort, plan, warnings),
      metadata: metadataOf(request, warnings),
      stream: target.stream ? true : undefined,
    }),
    warnings,
  };
}

function metadataOf(request: CanonicalRequest, warnings: string[]): { user_id: string } | undefined {
  const user = endUser(request, warnings, longestUserId);
  return user === undefined ? undefined : { user_id: user };
}

function outputLimit({ maxOutputTokens }: CanonicalRequest, { model }: UpstreamTarget): number {
  return maxOutputTokens ?? model.maxOutputTokens ?? defaultMaxTokens;
}

function withDemand(request: CanonicalRequest, text: string | null): CanonicalRequest {
  if (text === null) return request;
  return { ...request, messages: [...request.messages, { role: 'system', parts: [{ type: 'text', text }] }] };
}

function choiceOfAnswer({ tools, webSearch, codeExecution, toolChoice }: CanonicalRequest, name: string): ToolChoice {
  const hasOthers = (tools?.length ?? 0) > 0 || webSearch !== undefined || codeExecution === true;
  const mayCallOthers = hasOthers && toolChoice?.type !== 'none';
  return mayCallOthers ? { type: 'required' } : { type: 'tool', name };
}

function toolMembers(
  request: CanonicalRequest,
  choice: ToolChoice | undefined,
  plan: StructuredOutput | null,
  facts: ModelFacts,
  warnings: string[],
): Record<string, unknown> {
  const tools = request.tools ?? [];
  const hosted = toHostedTools(request);
  if (plan?.way !== 'tool') {
    if (tools.length + hosted.length === 0) return {};
    return { tools: [...toTools(tools, facts, warnings), ...hosted], tool_choice: toToolChoice(choice, request) };
  }
  const answer = {
    name: plan.name,
    description: plan.description ?? 'Gives the answer to the user as JSON.',
    parameters: plan.schema,
  };
  const all = [...toTools([...tools, answer], facts, warnings), ...hosted];
  return { tools: all, tool_choice: toToolChoice(choice, request) };
}

function outputConfig(
  effort: string | undefined,
  plan: StructuredOutput | null,
  warnings: string[],
): Record<string, unknown> | undefined {
  if (effort === undefined && plan?.way !== 'format') return undefined;
  if (plan?.way !== 'format') return { effort };
  if (plan.reworded.length > 0)
    warnings.push(`${plan.reworded.join(', ')} in the JSON schema: told to the model in words, not enforced`);
  return { effort, format: { type: 'json_schema', schema: plan.schema } };
}

/** Anthropic refuses blank ones: https://platform.claude.com/docs/en/api/errors */
function stopSequences({ stop }: CanonicalRequest, warnings: string[]): string[] | undefined {
  const usable = stop?.filter((sequence) => sequence.trim() !== '');
  if (usable?.length !== stop?.length)
    warnings.push('stop sequences of white space were dropped: this model takes none');
  return usable?.length === 0 ? undefined : usable;
}

type Block = Record<string, unknown>;
interface Turn {
  role: string;
  content: Block[];
}

/** A request's `thinking` and turns, and the header that its settings need. */
interface BoundThoughts<Said extends Turn> {
  thinking: Record<string, unknown> | undefined;
  messages: Said[];
  headers: Record<string, string>;
}

/**
 * Callers of other dialects may change what was said before, and do: another tool, a new instruction. A model
 * that binds its thoughts to the conversation would refuse the request, so it is asked to drop the thoughts
 * that do not fit any more, and keeps the others. Where it is told not to think they are left out.
 * Thoughts of another model or account it drops unasked.
 * https://platform.claude.com/docs/en/build-with-claude/preserved-thinking/fix-bound-to-a-different-conversation
 */
function boundThoughts<Said extends Turn>(
  thinking: Record<string, unknown> | undefined,
  messages: Said[],
  facts: ModelFacts,
  { provider }: UpstreamTarget,
): BoundThoughts<Said> {
  const unchanged = { thinking, messages, headers: {} };
  if (!facts.bindsThoughts || !messages.some(({ content }) => content.some(isThought))) return unchanged;
  // The setting is a beta of Anthropic's own address; Vertex AI documents none.
  if ((thinking !== undefined && thinking.type !== 'adaptive') || provider.quirks.modelInPath)
    return { ...unchanged, messages: messages.map(withoutThoughts).filter(({ content }) => content.length > 0) };
  return {
    thinking: { type: 'adaptive', ...thinking, block_binding: { prefix_mismatch_behavior: 'drop_block' } },
    messages,
    headers: { 'anthropic-beta': 'thinking-binding-controls-2026-08-01' },
  };
}

function withoutThoughts<Said extends Turn>(turn: Said): Said {
  return { ...turn, content: turn.content.filter((block) => !isThought(block)) };
}

function isThought({ type }: Block): boolean {
  return type === 'thinking' || type === 'redacted_thinking';
}

/** `temperature`, `top_p` and `top_k`, as far as the model takes them; `warnings` hears of the rest. */
function toSampling(
  request: CanonicalRequest,
  { model }: UpstreamTarget,
  facts: ModelFacts,
  thinks: boolean,
  warnings: string[],
): Record<string, unknown> {
  const sampling = { temperature: temperatureOf(request, warnings), top_p: request.topP, top_k: request.topK };
  const drop = (name: keyof typeof sampling, why: string): void => {
    if (sampling[name] === undefined) return;
    sampling[name] = undefined;
    warnings.push(`${name} was dropped: ${why}`);
  };
  if (!model.capabilities.temperature) {
    // https://platform.claude.com/docs/en/about-claude/models/whats-new-claude-4-7
    for (const name of ['temperature', 'top_p', 'top_k'] as const) drop(name, 'this model sets its own sampling');
    return sampling;
  }
  // https://platform.claude.com/docs/en/build-with-claude/extended-thinking#feature-compatibility
  if (thinks) {
    if (sampling.temperature !== 1) drop('temperature', 'this model takes none while it reasons');
    if ((sampling.top_p ?? 1) < 0.95) drop('top_p', 'this model takes 0.95 to 1 while it reasons');
    drop('top_k', 'this model takes none while it reasons');
  }
  if (facts.refusesTemperatureWithTopP && sampling.temperature !== undefined)
    drop('top_p', 'this model does not take it beside temperature');
  return sampling;
}

function temperatureOf({ temperature }: CanonicalRequest, warnings: string[]): number | undefined {
  if (temperature === undefined || temperature <= 1) return temperature;
  warnings.push(`temperature ${temperature} was clamped to 1: this model takes 0 to 1`);
  return 1;
}

/** https://platform.claude.com/docs/en/agents-and-tools/tool-use/define-tools */
const legalName = /^[a-zA-Z0-9_-]{1,128}$/;

/** https://platform.claude.com/docs/en/agents-and-tools/tool-use/web-search-tool */
const searchName = 'web_search';

/**
 * What runs at Anthropic: a search of the web, a machine for programs.
 * https://platform.claude.com/docs/en/agents-and-tools/tool-use/code-execution-tool
 */
function toHostedTools({ webSearch, codeExecution }: CanonicalRequest): object[] {
  return [
    ...(webSearch ? [toWebSearch(webSearch)] : []),
    ...(codeExecution ? [{ type: 'code_execution_20250825', name: 'code_execution' }] : []),
  ];
}

function toWebSearch({ maxUses, allowedDomains, blockedDomains, location }: WebSearch): object {
  return {
    type: 'web_search_20250305',
    name: searchName,
    max_uses: maxUses,
    allowed_domains: allowedDomains,
    blocked_domains: blockedDomains,
    user_location: location && { type: 'approximate', ...location },
  };
}

/**
 * `tools`.
 * @throws GatewayError 400 for a name that Anthropic refuses. A schema must be one of an object; where it
 * does not say so, it is said.
 */
function toTools(tools: readonly ToolDefinition[], facts: ModelFacts, warnings: string[]): object[] {
  checkNames(tools);
  if (!facts.structuredOutputs && tools.some(({ strict }) => strict === true))
    warnings.push('strict was dropped: this model does not guarantee the form of tool arguments');
  return tools.map(({ name, description, parameters, strict, cacheControl }) => {
    const { schema, told, reworded, isOpen } = toToolSchema(parameters);
    warnings.push(...rewordedTold(name, reworded));
    return {
      name,
      description: toldBeside(description, told),
      input_schema: schema,
      strict: facts.structuredOutputs && !isOpen ? strict : undefined,
      ...toCacheControl(cacheControl),
    };
  });
}

function checkNames(tools: readonly ToolDefinition[]): void {
  const seen = new Set<string>();
  for (const { name } of tools) {
    if (!legalName.test(name))
      throw new GatewayError(400, `The tool name '${name}' must be 1 to 128 letters, digits, underscores or dashes.`);
    if (seen.has(name)) throw new GatewayError(400, `The tool name '${name}' is given twice; names must be unique.`);
    seen.add(name);
  }
}

/** `tool_choice`; nothing when the caller said nothing of it. */
function toToolChoice(
  toolChoice: ToolChoice | undefined,
  { parallelToolCalls }: CanonicalRequest,
): Record<string, unknown> | undefined {
  if (toolChoice === undefined && parallelToolCalls !== false) return undefined;
  const choice = choiceOf(toolChoice ?? { type: 'auto' });
  if (choice.type === 'none' || parallelToolCalls === undefined) return choice;
  return { ...choice, disable_parallel_tool_use: !parallelToolCalls };
}

function choiceOf(choice: ToolChoice): Record<string, unknown> {
  if (choice.type === 'web-search') return { type: 'tool', name: searchName };
  return choice.type === 'required' ? { type: 'any' } : { ...choice };
}
