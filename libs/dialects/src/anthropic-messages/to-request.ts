import type { ProviderRequest } from '../canonical/codec';
import type { CanonicalRequest, ToolChoice } from '../canonical/generation-request';
import type { UpstreamTarget } from '../provider-dialect';
import { endUser } from '../canonical/end-user';
import { addressing } from './addressing';
import { boundThoughts } from './bound-thoughts';
import { factsOf } from './model-facts';
import type { ModelFacts } from './model-facts';
import { planStructuredOutput } from './structured-output';
import type { StructuredOutput } from './structured-output';
import { toMessages } from './to-messages';
import { toSampling } from './to-sampling';
import { toThinking } from './to-thinking';
import { toHostedTools, toToolChoice, toTools } from './to-tools';
import { wantedTools } from './wanted-tools';
import { longestUserId } from './within-limits';

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
