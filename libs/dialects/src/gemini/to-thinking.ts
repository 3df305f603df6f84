import type { ReasoningSetting } from '../canonical/generation-request';
import type { UpstreamTarget } from '../provider-dialect';
import { modelFacts } from './model-facts';
import type { ModelFacts } from './model-facts';

type Thinking = NonNullable<ModelFacts['thinking']>;
type Budgeted = Extract<Thinking, { by: 'budget' }>;
type Levelled = Extract<Thinking, { by: 'level' }>;
type Warn = (warning: string) => void;
type Asked =
  | { kind: 'off' }
  | { kind: 'budget'; tokens: number }
  | { kind: 'effort'; effort: keyof typeof budgets }
  | { kind: 'adaptive' };

/**
 * Google's own scale for the efforts of OpenAI; more than `high` is as much as the model takes.
 * https://ai.google.dev/gemini-api/docs/openai#thinking
 */
const budgets = { minimal: 1_024, low: 1_024, medium: 8_192, high: 24_576, xhigh: Infinity, max: Infinity };

/**
 * The level of an effort, and what comes next to it. Gemini 4 Hydrogen and Neon have one above high:
 * https://docs.laozhang.ai/announcements/gemini-4-neon-2026-11.md
 */
const levels = {
  minimal: ['MINIMAL'],
  low: ['LOW'],
  medium: ['MEDIUM'],
  high: ['HIGH'],
  xhigh: ['XHIGH', 'HIGH'],
  max: ['XHIGH', 'HIGH'],
} as const;

/**
 * `thinkingConfig`; undefined where there is nothing to say. Thoughts are shown to whoever asks for
 * reasoning, unless they do not want to read them.
 */
export function toThinkingConfig(
  setting: ReasoningSetting | undefined,
  target: UpstreamTarget,
  warn: Warn,
): Record<string, unknown> | undefined {
  if (setting === undefined) return undefined;
  const asked = askedOf(setting);
  const { thinking } = modelFacts(target);
  if (thinking === null) {
    if (asked !== null && asked.kind !== 'off') warn(`reasoning was dropped: ${target.model.id} has no setting for it`);
    return undefined;
  }
  const amount = asked === null ? {} : amountOf(asked, thinking, warn);
  const isShown = asked?.kind !== 'off' && setting.summary !== 'none';
  const config = { ...amount, ...(isShown && { includeThoughts: true }) };
  return Object.keys(config).length > 0 ? config : undefined;
}

function askedOf({ off, effort, budgetTokens, adaptive }: ReasoningSetting): Asked | null {
  if (off === true || effort === 'none') return { kind: 'off' };
  if (budgetTokens !== undefined) return { kind: 'budget', tokens: budgetTokens };
  if (effort !== undefined) return { kind: 'effort', effort };
  return adaptive === true ? { kind: 'adaptive' } : null;
}

function amountOf(asked: Asked, thinking: Thinking, warn: Warn): Record<string, unknown> {
  if (thinking.by === 'budget') return { thinkingBudget: budgetOf(asked, thinking, warn) };
  const level = levelOf(asked, thinking, warn);
  return level === null ? {} : { thinkingLevel: level };
}

/** -1: the model decides. */
function budgetOf(asked: Asked, { least, most, canBeOff }: Budgeted, warn: Warn): number {
  switch (asked.kind) {
    case 'off':
      if (canBeOff) return 0;
      warn(`reasoning off was changed to ${least} tokens: this model always reasons`);
      return least;
    case 'effort':
      return Math.min(most, budgets[asked.effort]);
    case 'adaptive':
      return -1;
    case 'budget': {
      const tokens = Math.min(most, Math.max(least, asked.tokens));
      if (tokens !== asked.tokens)
        warn(`reasoning budget was changed to ${tokens} tokens: this model takes ${least} to ${most}`);
      return tokens;
    }
  }
}

/** Null: the model decides, which is what these models do by default. */
function levelOf(asked: Asked, { levels: known }: Levelled, warn: Warn): string | null {
  switch (asked.kind) {
    case 'adaptive':
      return null;
    case 'off': {
      const lowest = known[0] ?? 'LOW';
      warn(`reasoning off was changed to the level ${lowest}: this model always reasons`);
      return lowest;
    }
    case 'budget': {
      const level = asked.tokens <= budgets.low ? 'LOW' : asked.tokens <= budgets.medium ? 'MEDIUM' : 'HIGH';
      // https://ai.google.dev/gemini-api/docs/gemini-3#thinking_level
      warn(`reasoning budget was changed to the level ${level}: this model takes no number of tokens`);
      return level;
    }
    case 'effort': {
      const level = levels[asked.effort].find((each) => known.includes(each)) ?? known[0] ?? 'LOW';
      if (level.toLowerCase() !== asked.effort)
        warn(
          `reasoning effort '${asked.effort}' was changed to the level ${level}: this model knows ${known.join(', ')}`,
        );
      return level;
    }
  }
}
