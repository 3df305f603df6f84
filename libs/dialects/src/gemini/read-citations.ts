import type { Citation } from '../canonical/generation-event';
import { isRecord, recordIn } from '../wire/json-value';

/**
 * The sources that a candidate names: what it recites (`citationSources`, at Vertex AI `citations`), and what
 * Google's own tools found.
 * https://ai.google.dev/api/generate-content#CitationMetadata
 * https://ai.google.dev/api/generate-content#GroundingMetadata
 */
export function readCitations(candidate: Record<string, unknown>): Citation[] {
  const recited = recordIn(candidate, 'citationMetadata');
  const found = recordIn(candidate, 'groundingMetadata').groundingChunks;
  return [
    ...records(recited.citationSources ?? recited.citations).map((source) => citation(source, source)),
    ...records(found).map((chunk) => citation(chunk, sourceOf(chunk))),
  ];
}

/** A chunk names its source by its kind: web, retrievedContext or maps. */
function sourceOf(chunk: Record<string, unknown>): Record<string, unknown> {
  return Object.values(chunk).find(isRecord) ?? {};
}

function citation(original: Record<string, unknown>, { uri, title }: Record<string, unknown>): Citation {
  return {
    dialect: 'gemini',
    url: typeof uri === 'string' ? uri : null,
    title: typeof title === 'string' ? title : null,
    original,
  };
}

function records(value: unknown): Record<string, unknown>[] {
  return Array.isArray(value) ? value.filter(isRecord) : [];
}
