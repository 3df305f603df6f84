import type { UpstreamTarget } from '../provider-dialect';
import type { ModelFacts } from './model-facts';

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
export function boundThoughts<Said extends Turn>(
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
