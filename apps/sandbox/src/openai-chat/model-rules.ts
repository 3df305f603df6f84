import { splitModel } from '../behaviour/read-behaviour';
import { checkXaiFunctions } from '../openai-responses/xai-rules';
import { memberOf, optionalObjects, textIn } from '../request/read-values';
import { isRecord } from '../request/record';
import { demand } from '../request/refusal';
import { checkClosedSchema } from './closed-schemas';
import { checkMistralSchema } from './mistral-schema';
import { checkMistralTurns, isMistrals } from './mistral-turns';
import { checkOpenAi, checkReasoningModel, demandInChat, isOpenAis } from './openai-limits';
import { checkPassedOn } from './openrouter-rules';
import { checkRoles } from './read-chat-turns';
import { isAtMoonshot, isAtOpenAi } from './read-tools';
import { checkTexts } from './text-models';

type Body = Record<string, unknown>;

/**
 * What some models of this dialect refuse beyond its rules. This dialect stands for all providers: `provider`
 * tells whose rules hold, where it is empty the model's name.
 * @throws Refusal
 */
export function checkModelRules(body: Body, name: string, provider: string): void {
  // Bedrock's profiles name the maker first. https://developers.openai.com/api/docs/guides/amazon-bedrock
  const model = splitModel(name).name.replace(/^(?:[a-z]+\.)?openai\./, '');
  demandInChat(model);
  if (/^(?:gpt-[5-9]|o[1-9])(?!.*-chat)/.test(model)) checkReasoningModel(body, model);
  if (isOpenAis(model)) checkOpenAi(body);
  if (isAtOpenAi(model, provider)) checkLabels(body);
  if (isAtOpenAi(model, provider) || provider === 'nvidia') refuseOthersWords(body, provider);
  checkQwenEffort(body, model);
  checkGrok(body, model);
  if (isAtMoonshot(model, provider)) checkKimiSampling(body, model);
  checkSwitch(body, model);
  checkForce(body, model, provider);
  demandReasoning(body, model);
  checkRoles(body, model, provider);
  if (isAtMistral(model, provider)) {
    checkMistralSchema(body);
    checkMistralTurns(body);
  }
  if (provider === 'deepseek' || (provider === '' && model.startsWith('deepseek-')))
    checkDeepseek(body, thinksByItself(model, body));
  checkTexts(body, model, provider);
  checkClosedSchema(body, model, provider);
  checkToolCount(body, model, provider);
  if (provider === 'fireworks') checkPlainLimit(body);
  if (provider === 'openrouter') checkPassedOn(body, model);
}

/** `provider` empty: the model's name tells. */
export function isAtMistral(model: string, provider: string): boolean {
  return provider === 'mistral' || (provider === '' && isMistrals(splitModel(model).name));
}

/**
 * Models that think unless they are told not to, by a member of their own: an effort of `none` is nothing to
 * them.
 * https://api-docs.deepseek.com/guides/thinking_mode https://github.com/BerriAI/litellm/issues/27453
 * https://platform.kimi.ai/docs/guide/kimi-k2-6-quickstart
 * https://docs.z.ai/guides/capabilities/thinking-mode
 * https://www.alibabacloud.com/help/en/model-studio/deep-thinking
 */
export function thinksByItself(name: string, body: Body): boolean {
  if (!/^(?:deepseek-(?:v[4-9]|flash)|kimi-k|glm-(?:4\.7|5)|qwen3\.[5-7])/.test(name)) return false;
  return memberOf(body, 'thinking').type !== 'disabled' && body.enable_thinking !== false;
}

/**
 * Together refuses no effort, and `none` is nothing to its models: those that can do without thoughts are
 * told so by `reasoning`. These are written from its pages again, as all here is, and are those that
 * providers/togetherai.ts has; V3.1 is the one that does not think unasked.
 * https://docs.together.ai/docs/inference/chat/reasoning https://docs.together.ai/docs/reasoning-overview
 * https://docs.together.ai/docs/glm-5.3-quickstart https://github.com/theopenco/llmgateway/pull/3367
 */
const thinkUnasked = [
  ...['moonshotai/Kimi-K(?:2\\.[56]|3)', 'deepseek-ai/DeepSeek-V4-Pro', 'zai-org/GLM-5(?:\\.[12])?$'],
  ...['MiniMaxAI/MiniMax-M3', 'Qwen/Qwen3\\.[56]-', 'deepcogito/cogito-v2', 'nvidia/nemotron-3-ultra'],
];
const hybrid = new RegExp(`^(?:${thinkUnasked.join('|')})`);

export function thinksAtTogether(model: string, body: Body, provider: string): boolean {
  if (provider !== 'togetherai') return false;
  if (/^zai-org\/GLM-5\.3/.test(model)) return true;
  const { enabled } = memberOf(body, 'reasoning');
  if (model.startsWith('deepseek-ai/DeepSeek-V3.1')) return enabled === true;
  return hybrid.test(model) && enabled !== false;
}

/**
 * OpenAI labels only what it stores. Mistral and Fireworks have labels of requests:
 * https://docs.mistral.ai/api/#tag/chat
 * https://github.com/fw-ai-external/python-sdk (types/chat/completion_create_params.py)
 * https://community.openai.com/t/metadata-parameter-in-chat-completion-api-reference-documentation-needs-to-be-updated/1119240
 */
function checkLabels({ metadata, store }: Body): void {
  demand(
    (metadata ?? null) === null || store === true,
    "The 'metadata' parameter is only allowed when 'store' is enabled.",
    { param: 'metadata' },
  );
}

/**
 * What others call reasoning and usage is unknown to OpenAI.
 * https://platform.openai.com/docs/api-reference/chat/create
 * https://github.com/dongri/openai-api-rs/issues/198 https://github.com/abue-ammar/tinycast/issues/973
 * So it is to NVIDIA: https://github.com/NousResearch/hermes-agent/pull/77973 (`reasoning`)
 * https://github.com/can1357/oh-my-pi/issues/2299 (its schema is closed)
 */
function refuseOthersWords(body: Body, provider: string): void {
  for (const name of ['reasoning', 'include_reasoning', 'thinking', 'usage']) {
    const words = provider === 'nvidia' ? `Unsupported parameter(s): \`${name}\`` : `Unknown parameter: '${name}'.`;
    demand(!Object.hasOwn(body, name), words, { param: name, code: 'unknown_parameter' });
  }
}

/**
 * Groq's Qwen is told whether to think only. https://github.com/mnfst/modelparams.dev/pull/114
 * https://github.com/earendil-works/pi/issues/1745 Alibaba's 3.8 is told how much. The sources disagree:
 * `max` was refused, as reported in https://github.com/VicBilibily/GCMP/issues/384, but its maker's reference
 * takes it for qwen3.8-max-preview, as quoted in https://github.com/earendil-works/pi/issues/6951. So only
 * the flash models refuse it here.
 */
function checkQwenEffort({ reasoning_effort: effort }: Body, model: string): void {
  if (effort === undefined || effort === null) return;
  demand(
    !/^qwen\/qwen3/.test(model) || effort === 'none' || effort === 'default',
    '`reasoning_effort` must be one of `none` or `default`',
  );
  demand(
    !/^qwen3\.8-(?:omni-)?flash/.test(model) ||
      ['none', 'minimal', 'low', 'medium', 'high', 'xhigh'].includes(textIn(effort)),
    "'reasoning_effort' must be one of: 'none', 'minimal', 'low', 'medium', 'high', 'xhigh'",
    { code: 'invalid_parameter_error' },
  );
}

/**
 * xAI's words and names. https://github.com/miaoxworld/NativeTavern/issues/83
 * https://github.com/lidge-jun/opencodex/issues/5278 https://github.com/langchain-ai/langchain/pull/38335
 */
function checkGrok(body: Body, model: string): void {
  if (!/^grok-(?:4|code|build)/.test(model)) return;
  // https://github.com/vercel/ai/pull/15713
  demand(
    (body.search_parameters ?? null) === null,
    'Live search is deprecated. Please switch to the Agent Tools API: https://docs.x.ai/docs/guides/tools/overview',
    { status: 410 },
  );
  checkXaiFunctions(optionalObjects(body.tools, 'tools').map((tool) => memberOf(tool, 'function')));
  // https://github.com/rbb-dev/Open-WebUI-OpenRouter-pipe/issues/62
  demand((body.metadata ?? null) === null, 'Argument not supported: metadata', { code: '400' });
  const refused: [param: string, name: string][] = [
    ['presence_penalty', 'presencePenalty'],
    ['frequency_penalty', 'frequencyPenalty'],
    ...(model.includes('non-reasoning') ? [] : ([['stop', 'stop']] as [string, string][])),
  ];
  for (const [param, name] of refused)
    demand((body[param] ?? null) === null, `Model ${model} does not support parameter ${name}.`, {
      param,
      code: 'invalid-argument',
    });
  checkGrokEffort(body.reasoning_effort ?? null, model);
}

/**
 * xAI's models that take an effort, by a trial of each:
 * https://github.com/NousResearch/hermes-agent/pull/23435 https://github.com/theopenco/llmgateway/pull/3483
 * and which: https://docs.x.ai/developers/model-capabilities/text/reasoning
 * https://docs.x.ai/developers/grok-4-7 The words for an effort that is not among them are not documented.
 */
const grokEfforts: readonly [models: RegExp, efforts: readonly string[]][] = [
  [/^grok-4\.7/, ['low', 'medium', 'high', 'xhigh']],
  [/^grok-4\.[56]/, ['low', 'medium', 'high']],
  [/^grok-4(?:\.3|$)/, ['none', 'low', 'medium', 'high']],
  [/^grok-4\.20-multi-agent/, ['low', 'medium', 'high', 'xhigh']],
];

function checkGrokEffort(effort: unknown, model: string): void {
  if (effort === null) return;
  const taken = grokEfforts.find(([models]) => models.test(model))?.[1];
  const details = { param: 'reasoning_effort', code: 'invalid-argument' };
  demand(taken !== undefined, `Model ${model} does not support parameter reasoningEffort.`, details);
  demand(
    taken.includes(textIn(effort)),
    `Model ${model} does not support reasoningEffort ${textIn(effort)}. Supported values: ${taken.join(', ')}.`,
    details,
  );
}

/**
 * Moonshot's Kimi is sampled in one way alone, and another where it does not think; other hosts of it do
 * not mind. https://github.com/Warma10032/VideoAdGuard/issues/34 (K2.5 and K2.6)
 * https://github.com/XCNXNXNX/dsh-portable-tavern/issues/1 (K3)
 * https://github.com/arcsin1/oh-my-ppt/issues/45
 * https://github.com/iOfficeAI/gemini-cli-pro/pull/30 (`top_p`) @throws Refusal
 */
function checkKimiSampling(body: Body, model: string): void {
  if (!/^kimi-k(?:2\.[5-7]|3(?!\.))/.test(model)) return;
  const { temperature, top_p: topP } = body;
  const only = memberOf(body, 'thinking').type === 'disabled' ? 0.6 : 1;
  const words = (name: string, value: number) => `invalid ${name}: only ${value} is allowed for this model`;
  demand((temperature ?? only) === only, words('temperature', only));
  demand((topP ?? 0.95) === 0.95, words('top_p', 0.95));
}

/**
 * Others of the same makers always think. https://platform.kimi.ai/docs/guide/use-thinking-effort
 * https://docs.together.ai/docs/glm-5.3-quickstart The words are not documented.
 * @throws Refusal
 */
function checkSwitch(body: Body, model: string): void {
  demand(
    !/^(?:kimi-k2\.7|glm-5\.3)/.test(model) || memberOf(body, 'thinking').type !== 'disabled',
    'thinking.type: this model supports `enabled` only',
    { param: 'thinking' },
  );
}

/**
 * Force beside thoughts. Kimi's words: https://github.com/can1357/oh-my-pi/issues/1077 but for K3:
 * https://github.com/UKGovernmentBEIS/inspect_ai/pull/5152 Qwen's, at Alibaba's own service:
 * https://github.com/cloudwego/eino/issues/994
 * @throws Refusal
 */
function checkForce(body: Body, model: string, provider: string): void {
  const { tool_choice: choice, reasoning_effort: effort, enable_thinking: enabled } = body;
  if (choice !== 'required' && !isRecord(choice)) return;
  demand(
    !/^kimi-k2/.test(model) || !thinksByItself(model, body) || !isAt('moonshot', provider),
    `tool_choice '${isRecord(choice) ? 'specified' : 'required'}' is incompatible with thinking enabled`,
  );
  const isAsked = enabled === true || (typeof effort === 'string' && effort !== 'none');
  demand(
    !/^qwen3\.[5-8]-/.test(model) || !(isAsked || thinksByItself(model, body)) || !isAt('alibaba', provider),
    '<400> InternalError.Algo.InvalidParameter: The tool_choice parameter does not support being set to required or object in thinking mode',
    { code: 'invalid_parameter_error' },
  );
}

/** Where nobody said whose rules hold, the maker's do. */
function isAt(maker: string, provider: string): boolean {
  return provider === '' || provider === maker;
}

/**
 * Their thinking comes back with what they said, or they refuse to go on: at DeepSeek in a request with
 * tools, and not empty; at Kimi beside calls.
 * https://github.com/NousResearch/hermes-agent/pull/18263 https://github.com/bojieli/ai-agent-book/pull/982
 * https://github.com/bytedance/deer-flow/issues/3043
 */
function demandReasoning(body: Body, model: string): void {
  if (!/^(?:deepseek|kimi)-/.test(model) || !thinksByItself(model, body)) return;
  const messages: unknown[] = Array.isArray(body.messages) ? body.messages : [];
  const hasTools = optionalObjects(body.tools, 'tools').length > 0;
  for (const [index, said] of messages.entries()) {
    if (!isRecord(said) || said.role !== 'assistant') continue;
    const { reasoning_content: reasoning, tool_calls: calls } = said;
    if (model.startsWith('kimi'))
      demand(
        typeof reasoning === 'string' || !Array.isArray(calls),
        `thinking is enabled but reasoning_content is missing in assistant tool call message at index ${index}`,
      );
    else
      demand(
        !hasTools || textIn(reasoning) !== '',
        'The `reasoning_content` in the thinking mode must be passed back to the API.',
        { code: 'invalid_request_error' },
      );
  }
}

/** Reasoning counts into it. https://github.com/MoonshotAI/kimi-code/issues/2656 */
const mostTokens = 393_216;

/**
 * What DeepSeek refuses in chat completions, in its words. `thinks`: the model does, which it does unless it
 * is told not to.
 * @throws Refusal
 */
function checkDeepseek(body: Body, thinks: boolean): void {
  const { max_tokens: limit, response_format: format, tool_choice: choice } = body;
  const details = { code: 'invalid_request_error' };
  demand(
    typeof limit !== 'number' || limit <= mostTokens,
    `Invalid max_tokens value, the valid range of max_tokens is [1, ${mostTokens}]`,
    details,
  );
  // https://api-docs.deepseek.com/guides/json_mode https://github.com/UKGovernmentBEIS/inspect_ai/issues/4916
  demand(
    memberOf({ format }, 'format').type !== 'json_schema',
    'This response_format type is unavailable now',
    details,
  );
  // https://github.com/deepseek-ai/DeepSeek-V3/issues/1376
  const isForced = choice === 'required' || isRecord(choice);
  demand(!isForced || !thinks, 'Thinking mode does not support this tool_choice', details);
}

/**
 * Groq's words: https://github.com/HunorLaczko/ha-groq-cloud-api/issues/25
 * xAI's are not documented, its limit is: https://github.com/router-for-me/CLIProxyAPI/issues/5214
 */
function checkToolCount(body: Body, model: string, provider: string): void {
  const { length } = optionalObjects(body.tools, 'tools');
  demand(provider !== 'groq' || length <= 128, "'tools' : maximum number of items is 128");
  const isXai = isAt('xai', provider) && model.startsWith('grok-');
  demand(!isXai || length <= 200, 'A request may have at most 200 tools.', { code: 'invalid-argument' });
}

/**
 * In the words of https://github.com/nullclaw/nullclaw/pull/231
 * https://github.com/nextlevelbuilder/goclaw/pull/660
 * https://docs.fireworks.ai/guides/querying-text-models does not tell it. @throws Refusal
 */
function checkPlainLimit({ stream, max_tokens: older, max_completion_tokens: newer }: Body): void {
  const details = { param: 'max_tokens', code: 'BAD_REQUEST' };
  const isLong = Number(older ?? newer ?? 0) > 4_096;
  demand(stream === true || !isLong, 'Requests with max_tokens > 4096 must have stream=true', details);
}
