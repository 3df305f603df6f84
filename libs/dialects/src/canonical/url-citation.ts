import { isRecord, recordIn, textIn } from '../wire/json-value';
import type { Citation } from './generation-event';

/** Where a text stands in what the caller reads, in characters. */
export interface TextSpan {
  start: number;
  end: number;
}

/**
 * A source in OpenAI's words: which characters rest on it, and what it says itself where that is told
 * (`content`, as OpenRouter names it:
 * https://openrouter.ai/docs/features/web-search). A source without a place of its own backs the whole text
 * that it came with. Null: it has no address, so it cannot be shown.
 */
export function urlCitation(citation: Citation, text: TextSpan): Record<string, unknown> | null {
  const { url, title, original } = citation;
  if (url === null) return null;
  const told = citation.dialect === 'openai-chat' ? recordIn(original, 'url_citation') : original;
  const quoted = quotedWords(told);
  return { url, title: title ?? '', ...placeOf(told, citation, text), ...(quoted !== '' && { content: quoted }) };
}

/** What the source says itself, empty where that is not told. */
export function quotedWords(told: Record<string, unknown>): string {
  // https://platform.claude.com/docs/en/build-with-claude/citations
  const own = textIn(told, 'cited_text') ?? textIn(told, 'content');
  if (own !== null) return own;
  // https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_Citation.html
  const parts = Array.isArray(told.sourceContent) ? told.sourceContent.filter(isRecord) : [];
  return parts.map((part) => textIn(part, 'text') ?? '').join('');
}

/** OpenAI and Cohere number the characters of the text itself. https://docs.cohere.com/docs/rag-citations */
function placeOf(told: Record<string, unknown>, { dialect }: Citation, { start, end }: TextSpan): object {
  const [from, to] = dialect === 'cohere' ? [told.start, told.end] : [told.start_index, told.end_index];
  const isPlaced = dialect === 'cohere' || dialect.startsWith('openai-');
  if (!isPlaced || typeof from !== 'number' || typeof to !== 'number') return { start_index: start, end_index: end };
  return { start_index: start + from, end_index: start + to };
}
