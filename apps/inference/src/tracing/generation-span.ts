import type { GenerationRequest, ModelKind } from '@tollgate/contracts';
import { modelKindOf } from '@tollgate/contracts';
import { noSpan } from '@tollgate/observability';
import type { Span, Tracer } from '@tollgate/observability';
import type { Outcome } from '../generation/generation-failure';

/**
 * What a request asks for, as https://opentelemetry.io/docs/specs/semconv/gen-ai/gen-ai-spans/ names it (it
 * has no name for reranking).
 */
export function operationOf({ surface }: GenerationRequest): string {
  return operations[modelKindOf(surface)];
}

const operations: Readonly<Record<ModelKind, string>> = {
  generation: 'chat',
  embedding: 'embeddings',
  rerank: 'rerank',
};

/** Begins the span of a call: from its arrival here, below edge's span, to its end. */
export function generationSpan(tracer: Tracer, request: GenerationRequest): Span {
  if (!tracer.isOn) return noSpan;
  return tracer.start(`generate ${request.model}`, 'server', request.traceparent, {
    'gen_ai.operation.name': operationOf(request),
    'gen_ai.request.model': request.requestedModel,
    'tollgate.model': request.model,
    'tollgate.surface': request.surface,
    'tollgate.request_id': request.requestId,
  });
}

/** Ends it. A caller who left or asked for the impossible is no fault of ours. */
export function endGenerationSpan(span: Span, outcome: Outcome, firstTokenMs: number | null): void {
  if (span === noSpan) return;
  if (firstTokenMs !== null) span.set({ 'tollgate.first_token_ms': firstTokenMs });
  if (outcome.state === 'failed' && outcome.failure.code !== 'refused') span.fail(outcome.failure.code);
  span.end();
}
