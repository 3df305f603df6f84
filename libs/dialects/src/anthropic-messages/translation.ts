import { withGuardedAnswers } from '../canonical/guarded-answers';
import { passThrough } from '../canonical/pass-through';
import type { Translation } from '../provider-dialect';
import { addressing } from './addressing';
import { countInputTokens } from './count-input-tokens';
import { anthropicMessagesProviderCodec } from './provider-codec';
import { anthropicMessagesSurfaceCodec } from './surface-codec';
import { withoutForeignReasoning } from './without-foreign-reasoning';

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
});

/** Messages to messages: bytes pass in both directions, but for reasoning of other providers, which Anthropic would refuse. */
export const anthropicMessagesToAnthropicMessages: Translation = withGuardedAnswers(
  { ...native, prepare: (body, target, options) => native.prepare(withoutForeignReasoning(body), target, options) },
  anthropicMessagesSurfaceCodec,
  anthropicMessagesProviderCodec,
);
