import type { DialectName, ModelKind } from '@tollgate/contracts';
import type { CatalogModel, CatalogSnapshot, Guardrail, ProviderDefinition } from '@tollgate/contracts/catalog';
import type { DeploymentHold, GenerationRequest } from '@tollgate/contracts/inference';
import { FindingCounts } from '@tollgate/guardrails';
import { FairMemory } from '@tollgate/messaging';
import { createLogger, noTracer } from '@tollgate/observability';
import { sealOwnKey } from '@tollgate/sealing';
import { EnvironmentSecrets } from '../credentials/environment-secrets';
import { KeyRing } from '../credentials/key-ring';
import { OwnKeys } from '../credentials/own-keys';
import { ProviderCredentials } from '../credentials/provider-credentials';
import { AnswerTurns } from '../generation/caller-answer';
import { GenerationService } from '../generation/generation-service';
import { TranslationThreads } from '../generation/translation-threads';
import { Registry } from 'prom-client';
import { AnswerGuards } from '../generation/answer-guards';
import { AttemptGate } from '../health/attempt-gate';
import { KeyRests } from '../health/key-rests';
import { InferenceMetrics } from '../metrics/inference-metrics';
import { Router } from '../routing/router';
import { UpstreamPools, type Upstream } from '../upstream/upstream-pools';
import { aModel, aProvider, aRequest, aSnapshot } from './fixtures';
import { RecordedCall } from './recorded-call';

/** The key of provider `id` in these tests. */
export function secretOf(id: string): string {
  return `canary-secret-of-${id}`;
}

/** To each provider. */
const connections = 100;

/** What the providers and models of a run are, beyond chat completions. */
interface RunOptions {
  upstream?: Upstream;
  retries?: number;
  dialect?: DialectName;
  kind?: ModelKind;
  /** Time limits of the first provider, other than the long ones of `aProvider`. */
  timeouts?: ProviderDefinition['timeouts'];
  /** Changes every provider. */
  provider?: Parameters<typeof aProvider>[0];
  /** Keys of each provider beside its first. */
  moreKeys?: readonly string[];
  /** Providers of which the operator has no key. */
  keyless?: readonly string[];
  /** Changes the first model. */
  model?: Partial<CatalogModel>;
  /** Changes the last one, where it stands in for the first. */
  lastModel?: Partial<CatalogModel>;
  /** The clock of the providers' health, milliseconds. */
  clock?: () => number;
  guardrails?: Guardrail[];
  maxAnswerBytes?: number;
  memory?: FairMemory;
  /** Where the sandbox stands in for built-in providers; null: it does not. */
  sandboxUrl?: string | null;
}

/**
 * A generation service whose providers are the given addresses: the first is acme's, the second that of its
 * fallback.
 */
export class ScriptedRun {
  readonly logs: string[] = [];
  readonly pools = new UpstreamPools(connections);
  readonly gate: AttemptGate;
  readonly keys: KeyRests;
  /** What guardrails found in answers. */
  readonly findings = new FindingCounts('inference-1');
  readonly threads: TranslationThreads;
  readonly memory: FairMemory;
  private readonly ring = new KeyRing(['a key-encryption key, 32 characters']);
  private readonly service: GenerationService;
  private readonly router: Router;
  private readonly snapshot: CatalogSnapshot;

  constructor(
    baseUrls: readonly string[],
    {
      upstream,
      retries = 1,
      dialect,
      kind,
      timeouts,
      provider,
      moreKeys = [],
      keyless = [],
      model,
      lastModel,
      clock,
      guardrails = [],
      maxAnswerBytes = 1024 * 1024,
      memory = new FairMemory(64 * 1024 * 1024),
      sandboxUrl = null,
    }: RunOptions = {},
  ) {
    this.gate = new AttemptGate(16, connections, clock);
    this.keys = new KeyRests(clock);
    this.memory = memory;
    const ids = baseUrls.map((_, index) => (index === 0 ? 'acme' : `spare${index}`));
    const keyed = ids.filter((id) => !keyless.includes(id));
    const credentials = Object.fromEntries(keyed.map((id) => [envOf(id), [secretOf(id), ...moreKeys].join(', ')]));
    const router = (this.router = new Router(
      new ProviderCredentials(
        sandboxUrl === null ? 'off' : 'on',
        sandboxUrl !== null,
        new EnvironmentSecrets(credentials),
      ),
      sandboxUrl,
      this.pools,
      this.gate,
      this.keys,
    ));
    const providers = baseUrls.map((baseUrl, index) => {
      const id = ids[index] ?? '';
      return aProvider({
        ...{ id, name: id, baseUrl, apiKeyEnv: [envOf(id)] },
        ...(dialect && { dialect }),
        ...(timeouts && index === 0 && { timeouts }),
        ...provider,
      });
    });
    this.snapshot = aSnapshot(providers, modelsOf(ids, kind, model, lastModel));
    router.use(this.snapshot);
    const metrics = new InferenceMetrics(new Registry(), { pending: 0 }, null, this.gate, this.keys, { askedTwice: 0 });
    const logger = createLogger('test', 'debug', { write: (line) => void this.logs.push(line) });
    this.threads = new TranslationThreads(logger);
    const guards = new AnswerGuards(metrics, this.findings, logger);
    guards.use({ guardrails });
    this.service = new GenerationService(
      router,
      {
        upstream: upstream ?? this.pools,
        gate: this.gate,
        keys: this.keys,
        metrics,
        tracer: noTracer,
        logger,
        retries,
        maxAnswerBytes,
        memory: this.memory,
        turns: new AnswerTurns(),
        threads: this.threads,
      },
      guards,
      new OwnKeys(this.ring),
    );
  }

  /** An operator's decision of a deployment reaches this instance; null: it is opened. */
  hold(deployment: string, hold: Partial<DeploymentHold> | null): void {
    const facts = { deployment, state: 'closed' as const, reason: null, by: 'cli:ada', since: 1, until: null };
    this.router.use({ ...this.snapshot, held: hold ? [{ ...facts, ...hold }] : [] });
  }

  /** A key that an account brings, as edge would send it; `about`: where it was sealed for others. */
  ownKey(key: string, about: { accountId?: string; provider?: string; baseUrl?: string } = {}): Record<string, string> {
    const [sealing] = this.ring.opens;
    const provider = this.snapshot.providers.find(({ id }) => id === (about.provider ?? 'acme'));
    if (!sealing || !provider) throw new Error('nothing is sealed for it');
    const to = { sealing, baseUrl: about.baseUrl ?? provider.baseUrl };
    return { [provider.id]: sealOwnKey(about.accountId ?? aRequest().accountId, provider.id, key, to).sealed };
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
function modelsOf(
  ids: readonly string[],
  kind: ModelKind = 'generation',
  first: Partial<CatalogModel> = {},
  last: Partial<CatalogModel> = {},
): CatalogModel[] {
  const names = ids.map((id) => `${id}/one`);
  return ids.map((provider, index) =>
    aModel({
      ...{ id: `${provider}/one`, provider, kind },
      ...(index === 0 ? { fallbacks: names.slice(1), ...first } : index === ids.length - 1 && last),
    }),
  );
}
