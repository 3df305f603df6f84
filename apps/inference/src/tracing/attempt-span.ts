import type { GenerationRequest, TokenUsage } from '@tollgate/contracts';
import type { Span, Tracer } from '@tollgate/observability';
import type { Route } from '../routing/route-table';
import { operationOf } from './generation-span';
import { conventionalProviderName } from './provider-names';
import { ToldModel } from './told-model';

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
