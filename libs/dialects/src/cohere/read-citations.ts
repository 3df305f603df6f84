import type { Citation } from '../canonical/generation-event';
import { isRecord, recordIn } from '../wire/json-value';

/**
 * A citation for each of its sources, which back the same words: documents of the request's and outputs of
 * tools.
 * https://docs.cohere.com/docs/rag-citations
 */
export function readCitations(original: Record<string, unknown>): Citation[] {
  const sources = Array.isArray(original.sources) ? original.sources.filter(isRecord) : [];
  return sources.map((source) => {
    const { url, title } = { ...recordIn(source, 'tool_output'), ...recordIn(source, 'document') };
    return {
      dialect: 'cohere',
      url: typeof url === 'string' ? url : null,
      title: typeof title === 'string' ? title : null,
      original,
    };
  });
}
