import { modelKindOf, surfaceOfKind } from '@tollgate/contracts';
import type { DialectName, SurfaceName } from '@tollgate/contracts';
import { unlistedModel } from '@tollgate/contracts/catalog';
import type {
  CatalogModel,
  CatalogSnapshot,
  Deployment,
  ProviderDefinition,
  TimeLimits,
} from '@tollgate/contracts/catalog';
import { modelNamedBy } from '@tollgate/contracts/metering';
import { translationFor, type Translation } from '@tollgate/dialects';
import type { ProviderAccess } from '../credentials/credential';
import type { CredentialSet } from '../credentials/provider-credentials';
import type { HealthPlace } from '../health/attempt-gate';
import { Authorizers } from '../upstream/authorizers';
import { providerEndpoint, type ProviderEndpoint } from '../upstream/provider-endpoint';
import { RoutePlan, type Balance } from './route-plan';

/** One place where a request can be generated, and how to speak with it. */
export interface Route {
  readonly model: CatalogModel;
  readonly deployment: Deployment;
  readonly endpoint: ProviderEndpoint;
  readonly translation: Translation;
  /** Those that the operator named: the provider's, with those of the model in their place. */
  readonly timeouts: TimeLimits;
  /**
   * The other dialects of the provider that the surface can be translated to, for requests that need one of
   * them.
   */
  readonly elsewhere: readonly Way[];
}

/**
 * An endpoint in one of its provider's dialects. `forTools` null: for any request; else a pattern for types
 * of tools (see `alsoAt`).
 */
export interface Way extends Pick<Route, 'endpoint' | 'translation'> {
  readonly forTools: RegExp | null;
}

/** The endpoints of one provider: one for each dialect that it speaks, its main one first. */
export type ProviderEndpoints = ReadonlyMap<DialectName, ProviderEndpoint>;

/** From a public model id to the places that can generate it, for one snapshot and one set of credentials. */
export class RouteTable {
  readonly sandbox: boolean;
  /** By provider id. */
  readonly endpoints: ReadonlyMap<string, ProviderEndpoints>;
  /** By provider id: those of the others that are asked with keys of accounts. */
  readonly ownKeysOnly: ReadonlyMap<string, ProviderEndpoints>;
  private readonly models: ReadonlyMap<string, CatalogModel>;
  private readonly providers: readonly ProviderDefinition[];
  private readonly known = new Map<string, RoutePlan>();

  constructor(
    snapshot: CatalogSnapshot,
    credentials: CredentialSet,
    sandboxUrl: string | null,
    authorizers = new Authorizers(),
  ) {
    this.sandbox = credentials.sandbox;
    this.providers = snapshot.providers;
    this.models = new Map(snapshot.models.map((model) => [model.id, model]));
    const endpointsBy = (all: CredentialSet['access']): ReadonlyMap<string, ProviderEndpoints> =>
      new Map(
        snapshot.providers.flatMap((provider) => {
          const access = all.get(provider.id);
          return access ? [[provider.id, endpointsOf(provider, access, sandboxUrl, authorizers)]] : [];
        }),
      );
    this.endpoints = endpointsBy(credentials.access);
    this.ownKeysOnly = endpointsBy(credentials.ownKeysOnly);
  }

  /**
   * The model's own deployments in the order that is right for `caller` (an API key's id), then those of its
   * fallbacks; each once, and only where the provider can be reached with a credential and the surface can be
   * translated. Empty: nothing here can generate it. `own`: the request brings keys of its account, so that
   * it needs none of the operator's.
   */
  routes(
    modelId: string,
    surface: SurfaceName,
    caller: string,
    balance: Balance | null = null,
    own = false,
  ): readonly Route[] {
    const name = `${surface} ${modelId}${own ? ' own' : ''}`;
    let plan = this.known.get(name);
    if (!plan) {
      plan = new RoutePlan(this.findRoutes(modelId, surface, own));
      // Only models of the catalog are kept, or strangers' names would fill the memory.
      if (this.models.has(modelId)) this.known.set(name, plan);
    }
    return plan.orderFor(caller, balance);
  }

  /** The model's own places, whatever kind of model it is, and none of its fallbacks'. */
  ownRoutes(modelId: string, caller: string, own = false): readonly Route[] {
    const surface = surfaceOfKind[this.models.get(modelId)?.kind ?? 'generation'];
    return this.routes(modelId, surface, caller, null, own).filter(({ model }) => model.id === modelId);
  }

  /** True when a place of the model can be reached, but none that speaks what the caller does. */
  isBeyond(modelId: string, surface: SurfaceName, own = false): boolean {
    const deployments = this.models.get(modelId)?.deployments ?? [];
    const reachable = deployments.some(({ provider }) => this.endpointsAt(provider, own) !== undefined);
    return reachable && surface === 'openai-completions' && this.routes(modelId, surface, '', null, own).length === 0;
  }

  /** Of the catalog, or as a provider passes its name on; null: there is none. */
  modelOf(modelId: string): CatalogModel | null {
    return this.models.get(modelId) ?? unlistedModel(this.providers, modelId);
  }

  /** What the catalog calls the models of one provider there, each once. */
  modelsAt(provider: string): string[] {
    const deployments = Array.from(this.models.values(), (model) => model.deployments).flat();
    const names = deployments.flatMap((each) => (each.provider === provider ? [each.upstreamModel] : []));
    return [...new Set(names)];
  }

  /** The public id of what a provider calls so. */
  modelNamed(provider: string, name: string): string {
    return modelNamedBy(this.models.values(), provider, name);
  }

  /**
   * Every deployment that can be reached, be it with keys of accounts alone, with each address of its
   * provider.
   */
  get places(): HealthPlace[] {
    return Array.from(this.models.values(), ({ deployments }) => deployments)
      .flat()
      .flatMap((deployment) =>
        Array.from(this.endpointsAt(deployment.provider, true)?.values() ?? [], (endpoint) => ({
          deployment,
          endpoint,
        })),
      );
  }

  private endpointsAt(provider: string, own: boolean): ProviderEndpoints | undefined {
    return this.endpoints.get(provider) ?? (own ? this.ownKeysOnly.get(provider) : undefined);
  }

  /** In the order of the catalog. */
  private findRoutes(modelId: string, surface: SurfaceName, own: boolean): readonly Route[] {
    const model = this.modelOf(modelId);
    if (!model) return [];
    const fallbacks = model.fallbacks.flatMap((id) => this.models.get(id) ?? []);
    const routes = new Map<string, Route>();
    const kind = modelKindOf(surface);
    for (const candidate of [model, ...fallbacks]) {
      if (candidate.kind !== kind) continue;
      for (const deployment of candidate.deployments) {
        const [way, ...elsewhere] = waysTo(this.endpointsAt(deployment.provider, own), surface);
        if (!way || routes.has(deployment.id)) continue;
        const { endpoint, translation } = way;
        const timeouts = { ...endpoint.provider.timeouts, ...candidate.timeouts };
        routes.set(deployment.id, { model: candidate, deployment, timeouts, elsewhere, endpoint, translation });
      }
    }
    const real = [...routes.values()].filter(({ endpoint }) => !endpoint.simulated);
    // Where a real place exists, an invented answer is worse than none.
    return real.length > 0 ? real : [...routes.values()];
  }
}

/**
 * The caller's own dialect first where the provider speaks it, then the provider's in their order, as far as
 * there is a translation.
 */
function waysTo(endpoints: ProviderEndpoints | undefined, surface: SurfaceName): Way[] {
  const ways = Array.from(endpoints ?? [], ([dialect, endpoint]) => {
    if (surface === 'openai-completions' && !endpoint.provider.textCompletions) return [];
    const translation = translationFor(surface, dialect);
    const tools = endpoint.provider.alsoAt.find((at) => at.dialect === dialect)?.tools ?? null;
    if (!translation || (tools !== null && dialect !== surface)) return [];
    return [{ endpoint, translation, forTools: tools === null ? null : new RegExp(tools) }];
  }).flat();
  const own = ways.filter(({ translation, forTools }) => translation.provider === surface && !forTools);
  return [...own, ...ways.filter((way) => !own.includes(way))];
}

/** `sandboxUrl`: where the simulated providers answer, each dialect under its own name; null: nowhere. */
function endpointsOf(
  provider: ProviderDefinition,
  { baseUrl, credential, simulated, internetOnly = false }: ProviderAccess,
  sandboxUrl: string | null,
  authorizers: Authorizers,
): ProviderEndpoints {
  const authorizer = authorizers.of(credential);
  const addresses = new Map([
    ...[provider.dialect, ...provider.alsoSpeaks].map((dialect) => [dialect, baseUrl] as const),
    ...provider.alsoAt.map(({ dialect, path }) => [dialect, new URL(path, baseUrl).href] as const),
  ]);
  return new Map(
    Array.from(addresses, ([dialect, address]) => {
      const url = simulated && sandboxUrl !== null ? `${sandboxUrl.replace(/\/+$/, '')}/${dialect}` : address;
      return [dialect, providerEndpoint(provider, url, credential, authorizer, simulated, internetOnly)];
    }),
  );
}
