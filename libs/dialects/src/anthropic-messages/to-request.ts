import type { ProviderRequest } from '../canonical/codec';
import type { CanonicalMessage, CanonicalRequest, ToolChoice } from '../canonical/generation-request';
import type { UpstreamTarget } from '../provider-dialect';
import { addressing } from './addressing';
import { boundThoughts } from './bound-thoughts';
import { factsOf } from './model-facts';
import type { ModelFacts } from './model-facts';
import { planStructuredOutput } from './structured-output';
import type { StructuredOutput } from './structured-output';
import { toMessages } from './to-messages';
import { toSampling } from './to-sampling';
import { toThinking } from './to-thinking';
import { toToolChoice, toTools } from './to-tools';

/** For a model whose own limit is not known: what the smallest models of this dialect could write. */
const defaultMaxTokens = 4_096;

/** Writes a messages request. https://platform.claude.com/docs/en/api/messages/create @throws GatewayError 400 for what the model cannot take. */
export function toRequest(request: CanonicalRequest, target: UpstreamTarget): ProviderRequest {
  const warnings: string[] = [];
  const { path, headers, members } = addressing(target);
  const facts = factsOf(target);
  const plan = planStructuredOutput(request, target);
  const { choice, isForced, demand } = toolChoiceFor(request, plan, facts, warnings);
  const maxTokens = outputLimit(request, target);
  const { thinking, effort, thinks } = toThinking(request, { facts, maxTokens, forcesTool: isForced, warnings });
  const said = demand === null ? request : { ...request, messages: [...request.messages, demand] };
  const { system, messages } = toMessages(said, facts.systemMessages, warnings);
  const bound = boundThoughts(thinking, messages, facts, target);
  return {
    path,
    headers: { ...headers, ...bound.headers },
    body: {
      ...request.extra,
      ...members,
      max_tokens: maxTokens,
      system: system.length === 0 ? undefined : system,
      messages: bound.messages,
      ...toolMembers({ ...request, toolChoice: choice }, plan, facts, warnings),
      ...toSampling(request, target, facts, thinks, warnings),
      stop_sequences: stopSequences(request, warnings),
      thinking: bound.thinking,
      output_config: outputConfig(effort, plan, warnings),
      metadata: request.user === undefined ? undefined : { user_id: request.user },
      stream: target.stream ? true : undefined,
    },
    warnings,
  };
}

function outputLimit({ maxOutputTokens }: CanonicalRequest, { model }: UpstreamTarget): number {
  return maxOutputTokens ?? model.maxOutputTokens ?? defaultMaxTokens;
}

/** `demand`: what the model is told in place of a force that it refuses. */
interface WantedTools {
  choice: CanonicalRequest['toolChoice'];
  isForced: boolean;
  demand: CanonicalMessage | null;
}

/** Which tool the answer must call: the caller's wish, or the tool in which the answer comes as JSON. */
function toolChoiceFor(
  request: CanonicalRequest,
  plan: StructuredOutput | null,
  facts: ModelFacts,
  warnings: string[],
): WantedTools {
  const choice = plan?.way === 'tool' ? choiceOfAnswer(request, plan.name) : request.toolChoice;
  const isForced = choice?.type === 'required' || choice?.type === 'tool';
  if (!isForced || !facts.refusesForce) return { choice, isForced, demand: null };
  warnings.push('tool_choice became an instruction: this model chooses its tools itself, and may answer without one');
  const what = choice.type === 'tool' ? `the tool ${choice.name}` : 'one of the tools';
  const text = `Answer by calling ${what}.`;
  return {
    choice: { type: 'auto' },
    isForced: false,
    demand: { role: 'system', parts: [{ type: 'text', text }] },
  };
}

function choiceOfAnswer({ tools, toolChoice }: CanonicalRequest, name: string): ToolChoice {
  const mayCallOthers = (tools?.length ?? 0) > 0 && toolChoice?.type !== 'none';
  return mayCallOthers ? { type: 'required' } : { type: 'tool', name };
}

function toolMembers(
  request: CanonicalRequest,
  plan: StructuredOutput | null,
  facts: ModelFacts,
  warnings: string[],
): Record<string, unknown> {
  const tools = request.tools ?? [];
  if (plan?.way !== 'tool') {
    if (tools.length === 0) return {};
    return { tools: toTools(tools, facts, warnings), tool_choice: toToolChoice(request) };
  }
  const answer = {
    name: plan.name,
    description: plan.description ?? 'Gives the answer to the user as JSON.',
    parameters: plan.schema,
  };
  return { tools: toTools([...tools, answer], facts, warnings), tool_choice: toToolChoice(request) };
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
