import { modelKindOf } from '@tollgate/contracts';
import type { ModelKind, TokenUsage } from '@tollgate/contracts';
import type { GenerationRequest } from '@tollgate/contracts/inference';
import { noSpan } from '@tollgate/observability';
import type { Span, Tracer } from '@tollgate/observability';
import type { Outcome } from './generation-failure';
import type { Route } from '../routing/route-table';

/** How an attempt ended. `status` null: the provider sent none. `error` null: it succeeded. */
interface EndedAttempt {
  status: number | null;
  error: string | null;
  usage: TokenUsage | null;
}

/**
 * The span of one attempt at a provider.
 * https://opentelemetry.io/docs/specs/semconv/gen-ai/gen-ai-spans/#inference
 */
export class AttemptSpan {
  private readonly told = new ToldModel();

  private constructor(private readonly span: Span) {}

  /** Null while nothing is traced. `parent` is the traceparent of the call's span. */
  static begin(
    tracer: Tracer,
    request: GenerationRequest,
    { endpoint, deployment }: Route,
    parent: string | null,
  ): AttemptSpan | null {
    if (!tracer.isOn) return null;
    const operation = operationOf(request);
    const { hostname, port, protocol } = new URL(endpoint.origin);
    const span = tracer.start(`${operation} ${deployment.upstreamModel}`, 'client', parent, {
      'gen_ai.operation.name': operation,
      'gen_ai.provider.name': conventionalProviderName(endpoint.provider.id),
      'gen_ai.request.model': deployment.upstreamModel,
      'server.address': hostname,
      'server.port': Number(port || (protocol === 'https:' ? 443 : 80)),
      'tollgate.deployment': deployment.id,
    });
    return new AttemptSpan(span);
  }

  get traceparent(): string | null {
    return this.span.traceparent;
  }

  /** Bytes of a good answer. */
  saw(bytes: Uint8Array): void {
    this.told.push(bytes);
  }

  end({ status, error, usage }: EndedAttempt): void {
    const { name } = this.told;
    this.span.set({
      ...(status !== null && { 'http.response.status_code': status }),
      ...(name !== null && { 'gen_ai.response.model': name }),
      ...(usage && { 'gen_ai.usage.input_tokens': usage.input, 'gen_ai.usage.output_tokens': usage.output }),
    });
    // What we ended ourselves did not fail.
    if (error !== null && error !== 'stopped' && error !== 'outrun') this.span.fail(error);
    this.span.end();
  }
}

/**
 * What a request asks for, as https://opentelemetry.io/docs/specs/semconv/gen-ai/gen-ai-spans/ names it (it
 * has no name for reranking).
 */
function operationOf({ surface }: GenerationRequest): string {
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

/**
 * Our ids of providers whose name in the semantic conventions is another:
 * https://opentelemetry.io/docs/specs/semconv/registry/attributes/gen-ai/#gen-ai-provider-name
 */
const wellKnown: Readonly<Record<string, string>> = {
  azure: 'azure.ai.openai',
  'azure-anthropic': 'azure.ai.inference',
  bedrock: 'aws.bedrock',
  'bedrock-openai': 'aws.bedrock',
  google: 'gcp.gemini',
  mistral: 'mistral_ai',
  vertex: 'gcp.vertex_ai',
  'vertex-anthropic': 'gcp.vertex_ai',
  xai: 'x_ai',
};

/** The value of `gen_ai.provider.name`. */
function conventionalProviderName(id: string): string {
  return wellKnown[id] ?? id;
}

/**
 * A quote inside a text is escaped in JSON, so an answer that speaks of a "model" is not taken for one that
 * names it.
 */
const named = /"model(?:Version)?"\s*:\s*"([^"\\]{1,200})"/;
/** Providers name the model at the beginning of an answer; further in it is not looked for. */
const lookedThrough = 4_096;

/** Which model a provider says that it answers with, found in the first bytes of its JSON or event stream. */
export class ToldModel {
  /** Null: it has not said it. */
  name: string | null = null;
  private beginning = '';

  push(bytes: Uint8Array): void {
    if (this.name !== null || this.beginning.length >= lookedThrough) return;
    const room = lookedThrough - this.beginning.length;
    this.beginning += Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.byteLength, room)).toString('latin1');
    this.name = named.exec(this.beginning)?.[1] ?? null;
  }
}
