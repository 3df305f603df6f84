import { isRecord, recordIn } from '../wire/json-value';

/** Modes of citations that have none. https://docs.cohere.com/reference/chat#request.body.citation_options */
const without: readonly unknown[] = ['OFF', 'DISABLED'];

/**
 * What a caller is told where the answer will cite documents that no caller's dialect can name: all of them
 * name a source by its address, and documents are cited by what stands in their `data`. Null: there are none.
 * https://docs.cohere.com/docs/rag-citations
 */
export function untoldCitations({ documents, citation_options: options }: Record<string, unknown>): string | null {
  if (!Array.isArray(documents) || (isRecord(options) && without.includes(options.mode))) return null;
  const isNamed = documents.every((document) => typeof recordIn(document, 'data').url === 'string');
  return isNamed ? null : 'citations of documents were dropped: only those with a url in their data can be named';
}
