import { hash } from '../answer/hash';
import { splitModel } from '../behaviour/read-behaviour';
import { demandKnown, memberOf, textIn } from '../request/read-values';
import { isRecord } from '../request/record';
import { demand } from '../request/refusal';
import { isThinking } from './check-thinking';

type Body = Record<string, unknown>;

const sampling = ['temperature', 'top_p', 'top_k'];
const forced = ['any', 'tool'];

/**
 * Claude by family and version (`4-5` is 4.5), as in claude-opus-4-5-20251101; null: no Claude of version 4
 * or later.
 */
function claude(name: string): { family: string; version: number } | null {
  const [, family, major, minor] = /claude-([a-z]+)-(\d)(?:-(\d)(?!\d))?/.exec(splitModel(name).name) ?? [];
  return family === undefined ? null : { family, version: Number(`${major}.${minor ?? 0}`) };
}

/**
 * Fable 5 still takes it:
 * https://platform.claude.com/docs/en/models/fable-5-1/whats-new-fable-5-1#forced-tool-use-is-not-supported
 * https://platform.claude.com/docs/en/models/sonnet-5-5/migration-guide
 * https://github.com/vercel/ai/issues/21364
 */
function takesForce({ family, version }: { family: string; version: number }): boolean {
  const isFable = family === 'fable' || family === 'mythos';
  return version < (isFable ? 5.1 : 5.5) || (family === 'haiku' && version < 5.6);
}

/** Models of other makers that want their thoughts back beside calls, signed or not. */
export function insistsOnThoughts(name: string): boolean {
  return /^(?:deepseek|kimi)-/.test(splitModel(name).name);
}

/**
 * In DeepSeek's words: https://github.com/decolua/9router/issues/2397
 * https://github.com/SuperJJ007/CSSwitch/pull/72
 * @throws Refusal
 */
function demandThoughts({ thinking, messages }: Body): void {
  if (isRecord(thinking) && thinking.type === 'disabled') return;
  for (const message of Array.isArray(messages) ? messages : []) {
    const said = blocksIn(message).filter(isRecord);
    demand(
      !said.some(({ type }) => type === 'tool_use') || said.some((block) => textIn(block.thinking) !== ''),
      'The `content[].thinking` in the thinking mode must be passed back to the API.',
    );
  }
}

/**
 * Newer models are given a temperature or a top p, not both.
 * https://platform.claude.com/docs/en/about-claude/models/migration-guide
 */
export function takesOneSampling(name: string): boolean {
  return /claude-(?:opus-4-[1-9]|sonnet-4-[5-9]|haiku-4-[5-9]|[a-z]+-[5-9])/.test(name);
}

/**
 * The most that a model writes; null: it is not known. https://platform.claude.com/docs/en/models/overview
 * Of Sonnet 4.6 sources disagree, and the larger number is that of a trial:
 * https://github.com/Effect-TS/effect/releases/tag/@effect%2Fai-anthropic@4.0.0-beta.106
 */
function mostTokens({ family, version }: { family: string; version: number }): number | null {
  if (version >= 4.6) return 128_000;
  if (version >= 4.5) return 64_000;
  return family === 'opus' ? 32_000 : null;
}

/** In the words of https://github.com/anthropics/claude-code/issues/24451 @throws Refusal */
export function checkLimit(name: string, maxTokens: number): void {
  const model = claude(name);
  const most = model && mostTokens(model);
  demand(
    most === null || maxTokens <= most,
    `max_tokens: ${maxTokens} > ${most}, which is the maximum allowed number of output tokens for ${name}`,
  );
}

/** What single models refuse, beyond the rules of the dialect. @throws Refusal */
export function checkModelRules(body: Body, name: string): void {
  if (insistsOnThoughts(name)) demandThoughts(body);
  const model = claude(name);
  if (model === null) return;
  const { version } = model;
  // https://github.com/The-PR-Agent/pr-agent/issues/2456
  // https://github.com/UKGovernmentBEIS/inspect_ai/issues/3721
  for (const field of version >= 4.7 ? sampling : [])
    demand(body[field] === undefined, `\`${field}\` is deprecated for this model.`);
  const isForced = forced.includes(textIn(memberOf(body, 'tool_choice').type));
  demand(!isForced || takesForce(model), 'tool_choice: type "tool" and "any" are not supported for this model.');
  // https://github.com/langchain-ai/langchain-aws/pull/1151
  // https://github.com/langchain-ai/langchain-aws/pull/1141
  demand(
    !isForced || version >= 4.8 || !isThinking(body.thinking),
    'Thinking may not be enabled when tool_choice forces tool use.',
  );
  checkThinkingType(body, model);
  // https://platform.claude.com/docs/en/models/haiku-5-5/migration-guide
  const messages: unknown[] = Array.isArray(body.messages) ? body.messages : [];
  const last = messages.at(-1);
  demand(
    version < 4.6 || messages.length < 2 || !isRecord(last) || last.role !== 'assistant',
    'This model does not support assistant message prefill. The conversation must end with a user message.',
  );
}

/**
 * https://github.com/NousResearch/hermes-agent/issues/120069 https://github.com/mnfst/llm-gateway/pull/1928
 * https://github.com/earendil-works/pi/issues/3297
 */
function checkThinkingType(body: Body, { family, version }: { family: string; version: number }): void {
  const { type } = memberOf(body, 'thinking');
  const alwaysThinks = family === 'fable' || family === 'mythos' || (family === 'opus' && version >= 5.5);
  const isRefused =
    (type === 'enabled' && version >= 4.7) ||
    (type === 'disabled' && (alwaysThinks || (family === 'sonnet' && version >= 5.5))) ||
    (type === 'between_tools' && (version < 5.5 || family !== 'sonnet'));
  demand(
    !isRefused,
    `"thinking.type.${textIn(type)}" is not supported for this model. Use "thinking.type.adaptive" and "output_config.effort" to control thinking behavior.`,
  );
  demand(type !== 'adaptive' || version >= 4.6, 'adaptive thinking is not supported on this model');
  const effort = textIn(memberOf(body, 'output_config').effort);
  const hasEffort = version >= 4.6 || (family === 'opus' && version >= 4.5);
  demand(effort === '' || hasEffort, 'This model does not support the effort parameter.');
  // The rule is documented, its words are not:
  // https://platform.claude.com/docs/en/models/opus-5-5/whats-new-opus-5-5
  demand(
    (type !== 'disabled' && type !== 'between_tools') || version < 5 || !['xhigh', 'max'].includes(effort),
    `thinking: type "${textIn(type)}" is not supported with effort "${effort}".`,
  );
}

/**
 * What the version of the API took away. https://platform.claude.com/docs/en/api/migration-2026-10-21
 * https://github.com/ttlequals0/MinusPod/releases/tag/v2.101.10
 * @throws Refusal
 */
export function checkVersion(body: Body, version: string): void {
  if (version < '2026-10-21') return;
  for (const name of sampling) demand(body[name] === undefined, `${name}: Extra inputs are not permitted`);
  const messages: unknown[] = Array.isArray(body.messages) ? body.messages : [];
  for (const [at, message] of messages.entries()) {
    const content: unknown = memberOf({ message }, 'message').content;
    if (!isRecord(message) || !Array.isArray(content)) continue;
    for (const [index, block] of content.filter(isRecord).entries()) {
      const where = `messages.${at}.content.${index}`;
      if (message.role === 'assistant')
        demand(block.type !== 'document', `${where}: \`document\` blocks are not permitted in assistant messages`);
      else for (const text of textsOf(block)) demandUncited(text, where);
    }
  }
}

/** A text, or those of a search result. */
function textsOf(block: Body): Body[] {
  if (block.type === 'text') return [block];
  return block.type === 'search_result' && Array.isArray(block.content) ? block.content.filter(isRecord) : [];
}

function demandUncited({ citations }: Body, where: string): void {
  demand(
    !Array.isArray(citations) || citations.length === 0,
    `${where}.text.citations: Extra inputs are not permitted`,
  );
}

/**
 * Under these a system message may change the effort. The second is Claude Code's:
 * https://github.com/microsoft/vscode (anthropicBetas.ts).
 */
const effortBetas = ['mid-conversation-output-config-2026-07-01', 'per-turn-control-2026-07-01'];
const clearBeta = 'mid-conversation-system-clear-at-2026-08-21';

/**
 * What stands beside the words of a message: from where on another effort holds, and when an instruction
 * ends. The rules are documented, the words for a model that knows none are not.
 * https://platform.claude.com/docs/en/build-with-claude/effort-per-message
 * https://platform.claude.com/docs/en/build-with-claude/mid-conversation-system-messages `never` is
 * OpenRouter's: https://openrouter.ai/docs/client-sdks/typescript/models/anthropicsystemclearat @throws
 * Refusal
 */
export function checkMembers(message: Body, where: string, name: string, betas: string): void {
  const { role, output_config: config, clear_at: clearAt } = message;
  const isKnown: Record<string, boolean> = {
    output_config: role === 'system' && effortBetas.some((beta) => betas.includes(beta)),
    clear_at: role === 'system' && betas.includes(clearBeta),
  };
  for (const member of Object.keys(message).filter((each) => each !== 'role' && each !== 'content'))
    demand(isKnown[member] === true, `${where}.${member}: Extra inputs are not permitted`);
  demand(
    clearAt === undefined || clearAt === 'next_user_message' || clearAt === 'never',
    `${where}.clear_at: Input should be 'next_user_message' or 'never'`,
  );
  if (config === undefined) return;
  const model = claude(name);
  const least = model?.family === 'opus' ? 5 : model?.family === 'fable' || model?.family === 'mythos' ? 5.1 : 5.5;
  demand(
    model !== null && model.version >= least,
    `${where}.output_config: This model does not support changing the effort parameter within a conversation.`,
  );
  demandKnown(
    memberOf(message, 'output_config'),
    ['effort'],
    (member) => `${where}.output_config.${member}: Extra inputs are not permitted`,
  );
}

/**
 * What the thoughts of an answer are bound to: everything before them, and the thought before them. Null: the
 * model binds them to nothing.
 * Where a cache breakpoint stands is no part of it, nor whether a text stands alone or in a block, nor in
 * what pieces the input of a call reaches the client, of which the model hears nothing.
 * https://platform.claude.com/docs/en/build-with-claude/preserved-thinking/prefix-checks
 * https://platform.claude.com/docs/en/agents-and-tools/tool-use/fine-grained-tool-streaming
 */
export function boundTo({ system, tools, messages }: Body, name: string, until = Infinity): string | null {
  const model = claude(name);
  if (model === null || model.version < (model.family === 'fable' ? 5.1 : 5.5)) return null;
  const said: unknown[] = Array.isArray(messages) ? messages.slice(0, until) : [];
  const prefix = JSON.stringify({ system: system ?? '', tools: tools ?? [], said }, (key, value: unknown) => {
    if (key === 'cache_control' || key === 'eager_input_streaming') return undefined;
    const isText = typeof value === 'string' && (key === 'content' || key === 'system');
    if (isText) return value === '' ? [] : [{ type: 'text', text: value }];
    return key === 'content' && Array.isArray(value) ? value.filter((block) => sealIn(block) === '') : value;
  });
  const before = said
    .flatMap(blocksIn)
    .map(sealIn)
    .findLast((seal) => seal !== '');
  return `${hash(prefix).toString(36)}-${before === undefined ? '' : hash(before).toString(36)}`;
}

function blocksIn(message: unknown): unknown[] {
  const { content } = memberOf({ message }, 'message');
  return Array.isArray(content) ? content : [];
}

/** The seal of a thought; empty for any other block. */
function sealIn(block: unknown): string {
  const { type, signature, data } = memberOf({ block }, 'block');
  if (type === 'thinking') return textIn(signature);
  return type === 'redacted_thinking' ? textIn(data) : '';
}

/**
 * Thoughts may be left out from the first one on, and none between others.
 * https://platform.claude.com/docs/en/models/fable-5-1/whats-new-fable-5-1
 */
function fits(bound: string, now: string): boolean {
  return bound === now || (now.endsWith('-') && bound.startsWith(now));
}

const bindingBeta = 'thinking-binding-controls-2026-08-01';

/**
 * Thoughts come back behind what they were thought on, or are refused unless the caller wants them dropped.
 * https://platform.claude.com/docs/en/build-with-claude/preserved-thinking/fix-bound-to-a-different-conversation
 * @throws Refusal
 */
export function checkBinding(body: Body, name: string, betas: string): void {
  const { block_binding: binding } = memberOf(body, 'thinking');
  demand(
    binding === undefined || betas.includes(bindingBeta),
    `thinking.adaptive.block_binding: Extra inputs are not permitted. That setting requires the \`${bindingBeta}\` value in the \`anthropic-beta\` header.`,
  );
  if (isRecord(binding) && binding.prefix_mismatch_behavior === 'drop_block') return;
  const messages: unknown[] = Array.isArray(body.messages) ? body.messages : [];
  for (const [at, message] of messages.entries()) {
    for (const [index, block] of blocksIn(message).entries()) {
      const [, bound] = textIn(memberOf({ block }, 'block').signature).split('.');
      const now = boundTo(body, name, at);
      demand(
        bound === undefined || now === null || fits(bound, now),
        `messages.${at}.content.${index}: Invalid \`signature\` in \`thinking\` block. The block is bound to a different conversation. Remove the block, or set \`thinking.block_binding.prefix_mismatch_behavior\` to "drop_block".`,
      );
    }
  }
}
