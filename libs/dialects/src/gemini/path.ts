import type { UpstreamTarget } from '../provider-dialect';

/**
 * The path of a generation. The Gemini API has its models below the version
 * (https://ai.google.dev/api/generate-content), Vertex AI below a publisher, which is part of its base URL
 * (https://cloud.google.com/vertex-ai/generative-ai/docs/model-reference/inference); from there on both are
 * the same. Without `alt=sse` a stream is one JSON array.
 */
export function geminiPath({ upstreamModel }: UpstreamTarget, stream: boolean): string {
  const model = `/models/${encodeURIComponent(upstreamModel)}`;
  return stream ? `${model}:streamGenerateContent?alt=sse` : `${model}:generateContent`;
}
