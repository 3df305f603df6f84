import { z } from 'zod';

/** The wire dialects that providers speak. */
export const dialectNames = [
  'openai-chat',
  'openai-responses',
  'anthropic-messages',
  'gemini',
  'bedrock-converse',
  'cohere',
] as const;
export const dialectName = z.enum(dialectNames);
export type DialectName = z.infer<typeof dialectName>;

/**
 * What callers may speak. The first three ask for a generation in a dialect of providers; then embeddings,
 * text completions and the order of documents.
 */
export const surfaceNames = [
  'openai-chat',
  'openai-responses',
  'anthropic-messages',
  'openai-embeddings',
  'openai-completions',
  'rerank',
] as const;
export const surfaceName = z.enum(surfaceNames);
export type SurfaceName = z.infer<typeof surfaceName>;

/** The surfaces that ask for a generation and are translated; each is a dialect that providers speak too. */
export type GenerationSurface = Exclude<SurfaceName, 'openai-embeddings' | 'openai-completions' | 'rerank'>;

/** What a model makes of its input: an answer, vectors, or the order in which documents fit a question. */
export const modelKind = z.enum(['generation', 'embedding', 'rerank']);
export type ModelKind = z.infer<typeof modelKind>;

/** The surface that asks a model of each kind for what it is there for. */
export const surfaceOfKind: Readonly<Record<ModelKind, SurfaceName>> = {
  generation: 'openai-chat',
  embedding: 'openai-embeddings',
  rerank: 'rerank',
};

/** The kind of model that a surface asks. */
export function modelKindOf(surface: SurfaceName): ModelKind {
  if (surface === 'openai-embeddings') return 'embedding';
  return surface === 'rerank' ? 'rerank' : 'generation';
}
