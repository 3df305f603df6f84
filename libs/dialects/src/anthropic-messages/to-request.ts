import { GatewayError } from '@tollgate/contracts';
import type { ProviderRequest } from '../canonical/codec';
import type { CanonicalRequest } from '../canonical/generation-request';
import type { UpstreamTarget } from '../provider-dialect';
import { addressing } from './addressing';
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
  const forcesTool =
    plan?.way === 'tool' || request.toolChoice?.type === 'required' || request.toolChoice?.type === 'tool';
  if (forcesTool && facts.off === 'never') throw forcedToolError(plan);
  const maxTokens = outputLimit(request, target);
  const { thinking, effort, thinks } = toThinking(request, { facts, maxTokens, forcesTool, warnings });
  const { system, messages } = toMessages(request, facts.systemMessages, warnings);
  return {
    path,
    headers,
    body: {
      ...request.extra,
      ...members,
      max_tokens: maxTokens,
      system: system.length === 0 ? undefined : system,
      messages,
      ...toolMembers(request, plan, facts, warnings),
      ...toSampling(request, target, facts, thinks, warnings),
      stop_sequences: stopSequences(request, warnings),
      thinking,
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
  const mayCallOthers = tools.length > 0 && request.toolChoice?.type !== 'none';
  const toolChoice = mayCallOthers ? ({ type: 'required' } as const) : ({ type: 'tool', name: plan.name } as const);
  return {
    tools: toTools([...tools, answer], facts, warnings),
    tool_choice: toToolChoice({ ...request, toolChoice }),
  };
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

/** https://platform.claude.com/docs/en/models/opus-5-5/whats-new-opus-5-5 */
function forcedToolError(plan: StructuredOutput | null): GatewayError {
  return new GatewayError(
    400,
    plan === null
      ? "'tool_choice' cannot force a tool: this model always reasons, and chooses its tools itself. Use auto."
      : 'This form of JSON is not possible: this model needs a JSON schema in which every object names its properties and allows no others.',
  );
}
