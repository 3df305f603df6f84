import type { DialectName } from '@tollgate/contracts';
import { openaiChatToOpenaiChat } from './openai-chat/translation';
import type { Translation } from './provider-dialect';

const translations: readonly Translation[] = [openaiChatToOpenaiChat];

/** The translation between a caller's dialect and a provider's; null when there is none. */
export function translationFor(surface: DialectName, provider: DialectName): Translation | null {
  return (
    translations.find((translation) => translation.surface === surface && translation.provider === provider) ?? null
  );
}
