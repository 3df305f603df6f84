import { GatewayError } from '@tollgate/contracts';
import type { CanonicalRequest, ToolChoice, ToolDefinition } from '../canonical/generation-request';
import { rewordedTold, toldBeside, toToolSchema } from '../canonical/tool-schema';
import type { WebSearch } from '../canonical/web-search';
import { toCacheControl } from './cache-control';
import type { ModelFacts } from './model-facts';

/** https://platform.claude.com/docs/en/agents-and-tools/tool-use/define-tools */
const legalName = /^[a-zA-Z0-9_-]{1,128}$/;

/** https://platform.claude.com/docs/en/agents-and-tools/tool-use/web-search-tool */
const searchName = 'web_search';

/**
 * What runs at Anthropic: a search of the web, a machine for programs.
 * https://platform.claude.com/docs/en/agents-and-tools/tool-use/code-execution-tool
 */
export function toHostedTools({ webSearch, codeExecution }: CanonicalRequest): object[] {
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
export function toTools(tools: readonly ToolDefinition[], facts: ModelFacts, warnings: string[]): object[] {
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
export function toToolChoice(
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
