import type { Citation } from '../canonical/generation-event';
import { quotedWords } from '../canonical/url-citation';
import { recordIn } from '../wire/json-value';

/**
 * A source for a caller: Anthropic's own object as it is, any other as a result of a web search, which is the
 * form that has a URL. Null: it has none, so there is nothing to show.
 */
export function toCitation(citation: Citation): Record<string, unknown> | null {
  if (citation.dialect === 'anthropic-messages') return citation.original;
  if (citation.url === null) return null;
  return {
    type: 'web_search_result_location',
    url: citation.url,
    title: citation.title,
    cited_text: quotedWords(
      citation.dialect === 'openai-chat' ? recordIn(citation.original, 'url_citation') : citation.original,
    ),
    encrypted_index: '',
  };
}
