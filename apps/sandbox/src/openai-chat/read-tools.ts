import { textArguments } from '../openai-responses/read-tools';
import type { OfferedTool, WantedTool } from '../request/neutral-request';
import { demandOneOf, demandSome, demandText, memberOf, objects, textIn } from '../request/read-values';
import { isRecord } from '../request/record';
import { demand } from '../request/refusal';
import { demandMoonshots } from '../request/moonshot-flavour';
import { demandSaid, demandStrict } from '../request/strict-schema';

/** @throws Refusal unless a number is within bounds; nothing given is no fault. */
export function checkRange(value: unknown, param: string, least: number, most: number): void {
  if (value === undefined || value === null) return;
  demand(typeof value === 'number', `Invalid type for '${param}': expected a decimal.`, {
    param,
    code: 'invalid_type',
  });
  demand(
    value >= least && value <= most,
    `Invalid '${param}': decimal out of range. Expected a value from ${least} to ${most}.`,
    { param, code: 'decimal_out_of_range' },
  );
}

/** https://platform.openai.com/docs/api-reference/chat/create#chat_create-tools @throws Refusal */
export function readChatTool(tool: Record<string, unknown>, index: number): OfferedTool {
  const param = `tools[${index}]`;
  demand(
    tool.type === 'function' || tool.type === 'custom',
    `Invalid value: '${textIn(tool.type)}'. Supported values are: 'function' and 'custom'.`,
    { param: `${param}.type`, code: 'invalid_value' },
  );
  // https://github.com/BerriAI/litellm/pull/34029
  const missing = { param: `${param}.${tool.type}`, code: 'missing_required_parameter' };
  demand(isRecord(tool[tool.type]), `Missing required parameter: '${param}.${tool.type}'.`, missing);
  const { name, parameters } = memberOf(tool, tool.type);
  demand(
    typeof name === 'string' && /^[a-zA-Z0-9_-]{1,64}$/.test(name),
    `Invalid '${param}.function.name': string does not match pattern. Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$'.`,
    { param: `${param}.function.name`, code: 'invalid_value' },
  );
  demand(
    parameters === undefined ||
      (isRecord(parameters) && (parameters.type === undefined || parameters.type === 'object')),
    `Invalid schema for function '${name}': schema must be a JSON Schema of 'type: "object"'.`,
    { param: `${param}.function.parameters`, code: 'invalid_function_parameters' },
  );
  return { name, schema: tool.type === 'custom' ? textArguments : parameters };
}

/** Whose models know tools of free text in chat completions, and which of them. */
const freeTextProviders = ['openai', 'azure', 'bedrock-openai'];
const freeTextModels = /^(?:(?:[a-z]+\.)?openai\.)?gpt-[5-9]/;
/** Where nobody said whose a model is, its name tells. */
const functionsAlone = /^(?:deepseek|kimi|qwen|glm|mistral|grok|llama)-?/;

/**
 * Tools of free text came with GPT-5, https://platform.openai.com/docs/guides/function-calling#custom-tools
 * https://github.com/Arize-ai/openinference/issues/2083 and elsewhere tools are functions:
 * https://github.com/vm0-ai/vm0/issues/28274 (DeepSeek)
 * https://github.com/microsoft/foundry-local/issues/1080 The words are DeepSeek's of other members.
 * @throws Refusal
 */
export function checkToolKinds(tools: readonly Record<string, unknown>[], model: string, provider: string): void {
  const knows =
    provider === '' ? !functionsAlone.test(model) : freeTextProviders.includes(provider) && freeTextModels.test(model);
  const at = tools.findIndex(({ type }) => type === 'custom');
  demand(knows || at < 0, `tools[${at}].type: unknown variant \`custom\`, expected \`function\``, {
    param: `tools[${at}].type`,
  });
}

/**
 * Only OpenAI can be told which tools may be called among others: the types of Groq and Mistral know words
 * and one name, https://github.com/pydantic/pydantic-ai/pull/825 and these are vLLM's words:
 * https://github.com/pydantic/pydantic-ai/issues/728
 * @throws Refusal
 */
export function checkChoice(choice: unknown, model: string, provider: string): void {
  demand(
    isAtOpenAi(model, provider) || textIn(memberOf({ choice }, 'choice').type) !== 'allowed_tools',
    '`tool_choice` must either be a named tool, "auto", "none" or "required".',
    { param: 'tool_choice' },
  );
}

/** Whether OpenAI's models are asked, at OpenAI or at who serves them alike; empty: the model's name tells. */
export function isAtOpenAi(model: string, provider: string): boolean {
  return provider === '' ? !functionsAlone.test(model) : freeTextProviders.includes(provider);
}

/**
 * Whether strict schemas must be closed, as OpenAI and Azure want it: of other makers it is not known.
 * https://platform.openai.com/docs/guides/structured-outputs#supported-schemas
 * https://learn.microsoft.com/en-us/azure/foundry/openai/how-to/structured-outputs
 */
export function wantsClosed(model: string, provider: string): boolean {
  return provider === '' ? !functionsAlone.test(model) : ['openai', 'azure'].includes(provider);
}

/** What OpenAI wants of schemas; what other makers want is not known. @throws Refusal */
export function checkSchemas(tools: readonly Record<string, unknown>[], model: string, provider: string): void {
  for (const [index, tool] of tools.entries()) {
    const { name, parameters, strict } = memberOf(tool, tool.type === 'custom' ? 'custom' : 'function');
    const where = `function '${textIn(name)}'`;
    const param = `tools[${index}].function.parameters`;
    if (isAtOpenAi(model, provider) && isRecord(parameters)) demandSaid(parameters, where, param);
    if (isAtMoonshot(model, provider) && isRecord(parameters)) demandMoonshotArguments(parameters);
    if (strict === true && wantsClosed(model, provider)) demandStrict(parameters ?? {}, where, param);
  }
}

/** https://github.com/MoonshotAI/kimi-code/pull/2662 @throws Refusal unless they are those of an object */
function demandMoonshotArguments(parameters: Record<string, unknown>): void {
  const where = 'tools.function.parameters';
  demandMoonshots(parameters, where);
  const isObject = parameters.type === 'object' || Object.keys(parameters).length === 0;
  demand(isObject, `${where}.type is required and must be "object"`);
}

/** Its models at OpenRouter, too: https://github.com/NousResearch/hermes-agent/pull/72254 */
export function isAtMoonshot(model: string, provider: string): boolean {
  if (provider === 'openrouter') return model.startsWith('moonshotai/');
  return provider === 'moonshot' || (provider === '' && model.startsWith('kimi-'));
}

/** @throws Refusal for a choice without tools, and for one of a tool that is not there. */
export function readToolChoice(
  { tool_choice: choice, parallel_tool_calls: parallel }: Record<string, unknown>,
  tools: readonly OfferedTool[],
): WantedTool {
  const isChosen = choice !== undefined && choice !== null && choice !== 'none' && choice !== 'auto';
  demand(!isChosen || tools.length > 0, "'tool_choice' is only allowed when 'tools' are specified.", {
    param: 'tool_choice',
  });
  demand(
    parallel === undefined || parallel === null || tools.length > 0,
    "'parallel_tool_calls' is only allowed when 'tools' are specified.",
    { param: 'parallel_tool_calls' },
  );
  if (!isChosen) return choice === 'none' ? 'none' : 'auto';
  // Mistral says any: https://docs.mistral.ai/capabilities/function_calling/
  if (choice === 'required' || choice === 'any') return 'required';
  const { type } = memberOf({ choice }, 'choice');
  if (type === 'allowed_tools') return readAllowed(memberOf(choice, 'allowed_tools'));
  const name = textIn(memberOf(choice, type === 'custom' ? 'custom' : 'function').name);
  demand(
    tools.some((tool) => tool.name === name),
    "Invalid value for 'tool_choice': expected one of the tools' names.",
    { param: 'tool_choice', code: 'invalid_value' },
  );
  return { name };
}

/** https://platform.openai.com/docs/guides/function-calling#allowed-tools */
function readAllowed({ mode, tools }: Record<string, unknown>): WantedTool {
  demandText(mode, 'tool_choice.allowed_tools.mode');
  demandOneOf(mode, 'tool_choice.allowed_tools.mode', ['auto', 'required']);
  demandSome(objects(tools, 'tool_choice.allowed_tools.tools'), 'tool_choice.allowed_tools.tools');
  return mode === 'required' ? 'required' : 'auto';
}
