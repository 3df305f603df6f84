import { GatewayError, modelKindOf } from '@tollgate/contracts';
import type { ModelKind } from '@tollgate/contracts';
import type { CatalogModel } from '@tollgate/contracts/catalog';
import { takesMedia, unmetNeed } from '@tollgate/dialects/surface';
import type { Need, SurfaceDialect } from '@tollgate/dialects/surface';

/**
 * What the catalog must say of a model for each need. A schema for the answer can also be had through a tool.
 */
const isMet: Readonly<Record<Need, (model: CatalogModel) => boolean>> = {
  tools: ({ capabilities }) => capabilities.tools,
  images: (model) => takesMedia(model, 'images'),
  files: (model) => takesMedia(model, 'files'),
  audio: (model) => takesMedia(model, 'audio'),
  'structured output': ({ capabilities }) => capabilities.structuredOutput || capabilities.tools,
};

/** @throws GatewayError 400 naming the first need that the model does not meet. */
export function checkNeeds(model: CatalogModel, needs: readonly Need[]): void {
  const unmet = needs.find((need) => !isMet[need](model));
  if (unmet !== undefined) throw unmetNeed(model.id, unmet);
}

/** What a model of each kind does, and where it is asked. */
const doings: Readonly<Record<ModelKind, string>> = {
  generation: 'generates answers: ask it at POST /v1/chat/completions',
  embedding: 'makes embeddings: ask it at POST /v1/embeddings',
  rerank: 'reranks documents: ask it at POST /v1/rerank',
};

/** @throws GatewayError 400 when a model of one kind is asked for what another does. */
export function checkKind(model: CatalogModel, surface: SurfaceDialect): void {
  if (model.kind === modelKindOf(surface.name)) return;
  throw new GatewayError(
    400,
    `The model ${model.id} ${doings[model.kind]}. The output_modalities at GET /v1/models tell what each model makes.`,
  );
}
