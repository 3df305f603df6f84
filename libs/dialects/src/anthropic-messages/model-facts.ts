import type { UpstreamTarget } from '../provider-dialect';

export type Effort = 'low' | 'medium' | 'high' | 'xhigh' | 'max';

/**
 * What a model of this dialect takes beyond the common part.
 * thinking: how it is asked to think (`either`: in both ways). off: how it is told not to, `never` where it
 * always thinks. efforts: its levels, ascending.
 */
export interface ModelFacts {
  thinking: 'none' | 'budget' | 'either' | 'adaptive';
  off: 'disabled' | 'between_tools' | 'never';
  thinksUnasked: boolean;
  efforts: readonly Effort[];
  structuredOutputs: boolean;
  systemMessages: boolean;
  /** It chooses its tools itself: no call can be forced. */
  refusesForce: boolean;
  /** It thinks adaptively also where it must call a tool. */
  thinksWhereForced: boolean;
  /** It takes its thoughts back only behind the very words on which it had them. */
  bindsThoughts: boolean;
  /**
   * It refuses a request that sets both:
   * https://platform.claude.com/docs/en/about-claude/models/migration-guide
   */
  refusesTemperatureWithTopP: boolean;
}

/** Models of other makers behind this dialect (DeepSeek, Moonshot, Z.ai): the oldest common form. */
const others: ModelFacts = {
  thinking: 'budget',
  off: 'disabled',
  thinksUnasked: false,
  efforts: [],
  structuredOutputs: false,
  systemMessages: false,
  refusesForce: false,
  thinksWhereForced: false,
  bindsThoughts: false,
  refusesTemperatureWithTopP: false,
};

/**
 * Facts of a model by family and version, so that a new version behaves as its forerunner until it is known.
 * Thinking: https://platform.claude.com/docs/en/build-with-claude/thinking
 * https://platform.claude.com/docs/en/build-with-claude/adaptive-thinking Effort:
 * https://platform.claude.com/docs/en/build-with-claude/effort Structured outputs:
 * https://platform.claude.com/docs/en/build-with-claude/structured-outputs System messages in the
 * conversation: https://platform.claude.com/docs/en/build-with-claude/mid-conversation-system-messages Forced
 * tools: https://platform.claude.com/docs/en/models/sonnet-5-5/migration-guide
 * https://github.com/can1357/oh-my-pi/issues/12939 Forced tools of models that think, Fable 5 and Opus 4.8
 * among them: https://github.com/langchain-ai/langchain-aws/pull/1141 (seen at Bedrock)
 * https://platform.claude.com/docs/en/models/fable-5-1/whats-new-fable-5-1#forced-tool-use-is-not-supported
 * Bound thoughts:
 * https://platform.claude.com/docs/en/build-with-claude/preserved-thinking/fix-bound-to-a-different-conversation
 */
export function factsOf({ model, upstreamModel }: Pick<UpstreamTarget, 'model' | 'upstreamModel'>): ModelFacts {
  const claude = readName(upstreamModel);
  if (claude === null) return { ...others, thinking: model.capabilities.reasoning ? 'budget' : 'none' };
  const { family, version } = claude;
  return {
    thinking: thinkingOf(version),
    off: offOf(family, version),
    thinksUnasked: version >= 5,
    efforts: effortsOf(family, version),
    structuredOutputs: version >= 4.5,
    systemMessages: version > 5 || (family !== 'sonnet' && version >= 4.8),
    refusesForce: family !== 'haiku' && isOfFall(family, version),
    thinksWhereForced: version >= 4.8,
    bindsThoughts: isOfFall(family, version),
    refusesTemperatureWithTopP: version >= 4.1,
  };
}

/**
 * The types of `thinking` that a model takes to which messages pass; of other makers' that a budget says it,
 * and nothing more is known. Adaptive thinking becomes a budget where a Claude knows no other form.
 */
export function takenThinking(target: Pick<UpstreamTarget, 'model' | 'upstreamModel'>) {
  const { thinking, off } = factsOf(target);
  return {
    adaptive: thinking !== 'none' && (thinking !== 'budget' || isClaude(target.upstreamModel)),
    between_tools: off === 'between_tools',
    disabled: off === 'disabled',
    enabled: thinking === 'budget' || thinking === 'either',
  };
}

/** `opus` and such; null: no Claude, or not of a line. */
export function lineOf(upstreamModel: string): string | null {
  return readName(upstreamModel)?.family ?? null;
}

/**
 * False for models of other makers and of operators, of which nothing is known but what their provider says.
 */
export function isClaude(upstreamModel: string): boolean {
  return readName(upstreamModel) !== null;
}

function thinkingOf(version: number): ModelFacts['thinking'] {
  if (version < 3.7) return 'none';
  if (version < 4.6) return 'budget';
  return version < 4.7 ? 'either' : 'adaptive';
}

/**
 * https://platform.claude.com/docs/en/models/opus-5-5/whats-new-opus-5-5
 * https://platform.claude.com/docs/en/models/sonnet-5-5/migration-guide
 */
function offOf(family: string, version: number): ModelFacts['off'] {
  if (alwaysThinks(family, version)) return 'never';
  return family === 'sonnet' && version >= 5.5 ? 'between_tools' : 'disabled';
}

function alwaysThinks(family: string, version: number): boolean {
  return isFable(family) || (family === 'opus' && version >= 5.5);
}

/** The generation of fall 2026, of which Fable 5.1 was the first. */
function isOfFall(family: string, version: number): boolean {
  return version >= (isFable(family) ? 5.1 : 5.5);
}

function isFable(family: string): boolean {
  return family === 'fable' || family === 'mythos';
}

function effortsOf(family: string, version: number): readonly Effort[] {
  if (version >= 4.7) return ['low', 'medium', 'high', 'xhigh', 'max'];
  if (version >= 4.6) return ['low', 'medium', 'high', 'max'];
  return family === 'opus' && version >= 4.5 ? ['low', 'medium', 'high'] : [];
}

/**
 * Names such as claude-opus-4-6, claude-sonnet-4-20250514, claude-3-7-sonnet-20250219,
 * us.anthropic.claude-haiku-4-5-20251001-v1:0, claude-opus-4-1@20250805. Null: no Claude.
 */
function readName(name: string): { family: string; version: number } | null {
  const modern = /claude-(opus|sonnet|haiku|fable|mythos)-(\d)(?:[-.](\d)(?!\d))?/.exec(name);
  if (modern) return { family: modern[1] ?? '', version: Number(`${modern[2]}.${modern[3] ?? '0'}`) };
  const early = /claude-(\d)(?:[-.](\d)(?!\d))?-(opus|sonnet|haiku)/.exec(name);
  if (early) return { family: early[3] ?? '', version: Number(`${early[1]}.${early[2] ?? '0'}`) };
  return name.includes('claude-mythos') ? { family: 'mythos', version: 5 } : null;
}
