import type { TokenUsage } from '@tollgate/contracts';
import { withFewMarksInJson } from '../canonical/few-marks-in-json';
import { withGuardedAnswers } from '../canonical/guarded-answers';
import { withMarkedSeals } from '../canonical/marked-seals';
import { passThrough } from '../canonical/pass-through';
import type { StreamEnding } from '../canonical/passing-answer-reader';
import { sealerOf } from '../provider-dialect';
import type { AttemptOptions, PreparedAttempt, Translation, UpstreamTarget } from '../provider-dialect';
import { addressing } from './addressing';
import { toUsage } from './answer-usage';
import { attributionWarning, unattributed } from './attribution';
import { countInputTokens } from './count-input-tokens';
import { withKnownThinking, withOwnThoughts } from './own-thoughts';
import { isClaude } from './model-facts';
import { anthropicMessagesProviderCodec } from './provider-codec';
import { unsaidWarning, withSaidTexts } from './said-texts';
import { anthropicMessagesSurfaceCodec } from './surface-codec';
import { withinLimits } from './within-limits';

/**
 * Closes a messages stream early: its blocks follow one another, so at most one is open.
 * https://platform.claude.com/docs/en/build-with-claude/streaming
 */
class MessagesEnding implements StreamEnding {
  /** The index of the open block, null for none. */
  private open: unknown = null;

  add({ type, index }: Record<string, unknown>): void {
    if (type === 'content_block_start') this.open = index;
    else if (type === 'content_block_stop') this.open = null;
  }

  close(usage: TokenUsage): string {
    const stop = this.open === null ? '' : event('content_block_stop', { index: this.open });
    const delta = { stop_reason: 'max_tokens', stop_sequence: null };
    return stop + event('message_delta', { delta, usage: toUsage(usage) }) + event('message_stop', {});
  }
}

const native = passThrough({
  surface: anthropicMessagesSurfaceCodec,
  provider: anthropicMessagesProviderCodec,
  address: addressing,
  ownedFields: [
    'model',
    'messages',
    'system',
    'stream',
    'max_tokens',
    'temperature',
    'top_p',
    'top_k',
    'stop_sequences',
  ],
  limitField: 'max_tokens',
  countInputTokens,
  newEnding: () => new MessagesEnding(),
  edits: withinLimits,
  // Claude's own seals are opened wherever Claude is served; those of another maker are opened by nobody
  // else.
  rewriter: (_, target) =>
    isClaude(target.upstreamModel) || target.provider.operatorDefined
      ? null
      : (bytes) => withMarkedSeals(bytes, 'signature', sealerOf(target)),
});

function prepare(source: Uint8Array, target: UpstreamTarget, options: AttemptOptions): PreparedAttempt {
  const plain = unattributed(source, target);
  const said = withSaidTexts(plain, target);
  const few = isClaude(target.upstreamModel) ? withFewMarksInJson(said) : { body: said, warning: null };
  const { body, warnings } = withKnownThinking(withOwnThoughts(few.body, target), target);
  if (plain !== source) warnings.push(attributionWarning);
  if (said !== plain) warnings.push(unsaidWarning);
  if (few.warning !== null) warnings.push(few.warning);
  const attempt = native.prepare(body, target, options);
  if (warnings.length === 0) return attempt;
  return { ...attempt, request: { ...attempt.request, warnings: [...warnings, ...attempt.request.warnings] } };
}

/**
 * Messages to messages: bytes pass in both directions, but for thoughts of other models, forms of thinking
 * that a model does not know and texts of nothing, which it would refuse, and for seals that one maker alone
 * can open, which tell on their way who that is.
 */
export const anthropicMessagesToAnthropicMessages: Translation = withGuardedAnswers(
  { ...native, prepare },
  anthropicMessagesSurfaceCodec,
  anthropicMessagesProviderCodec,
);

function event(type: string, members: object): string {
  return `event: ${type}\ndata: ${JSON.stringify({ type, ...members })}\n\n`;
}
