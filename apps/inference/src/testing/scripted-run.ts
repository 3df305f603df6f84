import type { CatalogModel, DialectName, GenerationRequest, ModelKind } from '@tollgate/contracts';
import { createLogger } from '@tollgate/observability';
import { ProviderCredentials } from '../credentials/provider-credentials';
import { GenerationService } from '../generation/generation-service';
import { InferenceMetrics } from '../metrics/inference-metrics';
import { Router } from '../routing/router';
import { UpstreamPools, type Upstream } from '../upstream/upstream-pools';
import { aModel, aProvider, aRequest, aSnapshot } from './fixtures';
import { RecordedCall } from './recorded-call';

/** The key of provider `id` in these tests. */
export function secretOf(id: string): string {
  return `canary-secret-of-${id}`;
}

/** What the providers and models of a run are, beyond chat completions. */
interface RunOptions {
  upstream?: Upstream;
  retries?: number;
  dialect?: DialectName;
  kind?: ModelKind;
}

/** A generation service whose providers are the given addresses: the first is acme's, the second that of its fallback. */
export class ScriptedRun {
  readonly logs: string[] = [];
  readonly pools = new UpstreamPools(100);
  private readonly service: GenerationService;

  constructor(baseUrls: readonly string[], { upstream, retries = 1, dialect, kind }: RunOptions = {}) {
    const ids = baseUrls.map((_, index) => (index === 0 ? 'acme' : `spare${index}`));
    const credentials = Object.fromEntries(ids.map((id) => [envOf(id), secretOf(id)]));
    const router = new Router(new ProviderCredentials('off', false, credentials), null, this.pools);
    const providers = baseUrls.map((baseUrl, index) => {
      const id = ids[index] ?? '';
      return aProvider({ id, name: id, baseUrl, apiKeyEnv: [envOf(id)], ...(dialect && { dialect }) });
    });
    router.use(aSnapshot(providers, modelsOf(ids, kind)));
    this.service = new GenerationService(router, {
      upstream: upstream ?? this.pools,
      metrics: new InferenceMetrics(() => 0),
      logger: createLogger('test', 'debug', { write: (line) => void this.logs.push(line) }),
      retries,
      maxAnswerBytes: 1024 * 1024,
    });
  }

  /** Handles a call to its end. */
  async handle(call: RecordedCall): Promise<RecordedCall> {
    await this.service.handle(call);
    return call;
  }

  /** Handles a request to its end. */
  run(request: Partial<GenerationRequest> = {}): Promise<RecordedCall> {
    return this.handle(new RecordedCall(aRequest(request)));
  }
}

function envOf(id: string): string {
  return `${id.toUpperCase()}_API_KEY`;
}

/** One model a provider; the first falls back to the others. */
function modelsOf(ids: readonly string[], kind: ModelKind = 'generation'): CatalogModel[] {
  const names = ids.map((id) => `${id}/one`);
  return ids.map((provider, index) =>
    aModel({ id: `${provider}/one`, provider, kind, fallbacks: index === 0 ? names.slice(1) : [] }),
  );
}
