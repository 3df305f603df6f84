import type { DialectName, SurfaceName } from '@tollgate/contracts';
import { anthropicMessagesProviderCodec } from './anthropic-messages/provider-codec';
import { anthropicMessagesSurfaceCodec } from './anthropic-messages/surface-codec';
import { anthropicMessagesToAnthropicMessages } from './anthropic-messages/translation';
import { bedrockConverseProviderCodec } from './bedrock-converse/provider-codec';
import type { ProviderCodec, SurfaceCodec } from './canonical/codec';
import { withGatheredAnswers, withGuardedAnswers } from './canonical/guarded-answers';
import { withLegalTools } from './canonical/legal-tools';
import { withOutputLimit } from './canonical/output-limit';
import { translate } from './canonical/translate';
import { cohereProviderCodec } from './cohere/provider-codec';
import { geminiProviderCodec } from './gemini/provider-codec';
import { mediaForms } from './media/media-forms';
import { withWords } from './media/in-words';
import { openaiChatProviderCodec } from './openai-chat/provider-codec';
import { openaiChatSurfaceCodec } from './openai-chat/surface-codec';
import { withHourInCache } from './openai-chat/hour-in-cache';
import { withToldThoughts } from './openai-chat/told-thoughts';
import { openaiChatToOpenaiChat } from './openai-chat/translation';
import { openaiCompletionsToOpenaiChat } from './openai-completions/translation';
import { embeddingTranslations } from './openai-embeddings/translate-embeddings';
import { openaiResponsesProviderCodec } from './openai-responses/provider-codec';
import { openaiResponsesSurfaceCodec } from './openai-responses/surface-codec';
import { openaiResponsesToOpenaiResponses } from './openai-responses/translation';
import type { Translation } from './provider-dialect';
import { countBySample } from './tokens/o200k';
import { rerankToOpenaiChat } from './rerank/translation';

/** Every dialect that callers speak. */
export const surfaceCodecs: readonly SurfaceCodec[] = [
  openaiChatSurfaceCodec,
  anthropicMessagesSurfaceCodec,
  openaiResponsesSurfaceCodec,
];

/** Every dialect that providers speak. */
export const providerCodecs: readonly ProviderCodec[] = [
  openaiChatProviderCodec,
  anthropicMessagesProviderCodec,
  openaiResponsesProviderCodec,
  geminiProviderCodec,
  bedrockConverseProviderCodec,
  cohereProviderCodec,
];

/** The same dialect on both sides: bytes pass. */
const passing: readonly Translation[] = [
  withGuardedAnswers(openaiChatToOpenaiChat, openaiChatSurfaceCodec, openaiChatProviderCodec),
  anthropicMessagesToAnthropicMessages,
  withGuardedAnswers(openaiResponsesToOpenaiResponses, openaiResponsesSurfaceCodec, openaiResponsesProviderCodec),
];

const generations = surfaceCodecs.flatMap((surface) => {
  const own = providerCodecs.find(({ name }) => name === surface.name);
  return providerCodecs.map((provider) => {
    const translation =
      passing.find((each) => each.surface === surface.name && each.provider === provider.name) ??
      translate(surface, provider);
    const isPassing = surface.name === provider.name;
    const named = isPassing ? withLegalTools(translation, surface, provider) : translation;
    const counting = withSampledCount(named);
    const limited = own ? withOutputLimit(counting, surface, own) : counting;
    const whole = isPassing && surface.name === 'openai-chat' ? withHourInCache(limited) : limited;
    const asked = provider.name === 'openai-chat' ? withGatheredAnswers(whole) : whole;
    const told = surface.name === 'openai-chat' ? withToldThoughts(asked) : asked;
    return withWords(told, mediaForms[surface.name]);
  });
});

const translations = new Map(
  [
    ...generations,
    ...[...embeddingTranslations, openaiCompletionsToOpenaiChat, rerankToOpenaiChat].map(withSampledCount),
  ].map((each) => [`${each.surface} ${each.provider}`, each]),
);

/** While tokens are counted nobody else is served. */
function withSampledCount(translation: Translation): Translation {
  const countInputTokens = (body: Uint8Array): number =>
    countBySample(body.length, () => translation.countInputTokens(body));
  return { ...translation, countInputTokens };
}

/** The translation between a caller's dialect and a provider's; null when there is none. */
export function translationFor(surface: SurfaceName, provider: DialectName): Translation | null {
  return translations.get(`${surface} ${provider}`) ?? null;
}
