import type { Citation } from '../canonical/generation-event';
import { isRecord, recordIn } from '../wire/json-value';

/**
 * A citation with its first source: a document of the request's or the output of a tool.
 * https://docs.cohere.com/docs/rag-citations
 */
export function readCitation(original: Record<string, unknown>): Citation {
  const [source] = Array.isArray(original.sources) ? original.sources.filter(isRecord) : [];
  const content = { ...recordIn(source, 'tool_output'), ...recordIn(source, 'document') };
  const { url, title } = content;
  return {
    dialect: 'cohere',
    url: typeof url === 'string' ? url : null,
    title: typeof title === 'string' ? title : null,
    original,
  };
}
