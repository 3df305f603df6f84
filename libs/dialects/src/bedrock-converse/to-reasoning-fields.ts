import type { CanonicalRequest, ReasoningSetting } from '../canonical/generation-request';
import { effortOf } from '../canonical/reasoning-effort';
import type { UpstreamTarget } from '../provider-dialect';
import { claudeThinking, type Thinking } from './claude-thinking';
import type { ContentWriter } from './content-writer';
import { modelFamily } from './model-family';

/**
 * The request fields by which a family of models is told how much to reason; none where there is nothing to
 * say. What cannot be told is warned of.
 */
export function toReasoningFields(request: CanonicalRequest, target: UpstreamTarget, writer: ContentWriter): Thinking {
  const family = modelFamily(target);
  if (family === 'claude') return claudeThinking(request, target, writer);
  return { fields: namedFields(request.reasoning ?? {}, family, target, writer), thinks: false };
}

function namedFields(
  setting: ReasoningSetting,
  family: 'nova' | 'openai' | 'other',
  target: UpstreamTarget,
  writer: ContentWriter,
): Thinking['fields'] {
  const effort = namedEffort(setting);
  if (effort === null) return {};
  switch (family) {
    case 'nova':
      // https://docs.aws.amazon.com/nova/latest/nova2-userguide/extended-thinking.html
      return { reasoningConfig: { type: 'enabled', maxReasoningEffort: effort } };
    case 'openai':
      // https://docs.aws.amazon.com/bedrock/latest/userguide/model-parameters-openai.html
      return { reasoning_effort: effort };
    case 'other':
      writer.warn(`reasoning was dropped: ${target.model.id} has no setting for it`);
      return {};
  }
}

/** The levels that Nova and gpt-oss know; null where no reasoning was asked for. */
function namedEffort({ effort, budgetTokens, off, adaptive }: ReasoningSetting): 'low' | 'medium' | 'high' | null {
  if (off === true || effort === 'none') return null;
  const level = effort ?? (budgetTokens === undefined ? undefined : effortOf(budgetTokens));
  if (level === undefined) return adaptive === true ? 'medium' : null;
  if (level === 'minimal' || level === 'low') return 'low';
  return level === 'medium' ? 'medium' : 'high';
}
