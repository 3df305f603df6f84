import { withGuardedAnswers } from '../canonical/guarded-answers';
import { passThrough } from '../canonical/pass-through';
import type { AttemptOptions, PreparedAttempt, Translation, UpstreamTarget } from '../provider-dialect';
import { addressing } from './addressing';
import { countInputTokens } from './count-input-tokens';
import { withKnownThinking } from './known-thinking';
import { anthropicMessagesProviderCodec } from './provider-codec';
import { anthropicMessagesSurfaceCodec } from './surface-codec';
import { withoutForeignReasoning } from './without-foreign-reasoning';
import { MessagesEnding } from './stream-ending';

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
});

function prepare(source: Uint8Array, target: UpstreamTarget, options: AttemptOptions): PreparedAttempt {
  const { body, warnings } = withKnownThinking(withoutForeignReasoning(source), target);
  const attempt = native.prepare(body, target, options);
  if (warnings.length === 0) return attempt;
  return { ...attempt, request: { ...attempt.request, warnings: [...warnings, ...attempt.request.warnings] } };
}

/** Messages to messages: bytes pass in both directions, but for reasoning of other providers and forms of it that a model does not know, which Anthropic would refuse. */
export const anthropicMessagesToAnthropicMessages: Translation = withGuardedAnswers(
  { ...native, prepare },
  anthropicMessagesSurfaceCodec,
  anthropicMessagesProviderCodec,
);
