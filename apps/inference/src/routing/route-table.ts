import type { CatalogModel, CatalogSnapshot, Deployment, DialectName, ProviderDefinition } from '@tollgate/contracts';
import { translationFor, type Translation } from '@tollgate/dialects';
import type { CredentialSet } from '../credentials/provider-credentials';
import { providerEndpoint, type ProviderEndpoint } from '../upstream/provider-endpoint';

/** One place where a request can be generated, and how to speak with it. */
export interface Route {
  readonly model: CatalogModel;
  readonly deployment: Deployment;
  readonly endpoint: ProviderEndpoint;
  readonly translation: Translation;
}

/** From a public model id to the places that can generate it, for one snapshot and one set of credentials. */
export class RouteTable {
  readonly sandbox: boolean;
  readonly endpoints: ReadonlyMap<string, ProviderEndpoint>;
  private readonly models: ReadonlyMap<string, CatalogModel>;
  private readonly known = new Map<string, readonly Route[]>();

  constructor(snapshot: CatalogSnapshot, credentials: CredentialSet, sandboxUrl: string | null) {
    this.sandbox = credentials.sandbox;
    this.models = new Map(snapshot.models.map((model) => [model.id, model]));
    this.endpoints = new Map(
      snapshot.providers.flatMap((provider) => {
        const key = credentials.keys.get(provider.id);
        if (key === undefined) return [];
        return [[provider.id, providerEndpoint(provider, baseUrlOf(provider, credentials, sandboxUrl), key)]];
      }),
    );
  }

  /**
   * The model's own deployments in order, then those of its fallbacks in order; each once, and only where the provider can be
   * reached with a credential and the surface can be translated. Empty: nothing here can generate it.
   */
  routes(modelId: string, surface: DialectName): readonly Route[] {
    const name = `${surface} ${modelId}`;
    let routes = this.known.get(name);
    if (!routes) {
      routes = this.findRoutes(modelId, surface);
      // Only models of the catalog are kept, or strangers' names would fill the memory.
      if (this.models.has(modelId)) this.known.set(name, routes);
    }
    return routes;
  }

  private findRoutes(modelId: string, surface: DialectName): readonly Route[] {
    const model = this.models.get(modelId);
    if (!model) return [];
    const fallbacks = model.fallbacks.flatMap((id) => this.models.get(id) ?? []);
    const routes = new Map<string, Route>();
    for (const candidate of [model, ...fallbacks]) {
      for (const deployment of candidate.deployments) {
        const endpoint = this.endpoints.get(deployment.provider);
        const translation = endpoint && translationFor(surface, endpoint.provider.dialect);
        if (!endpoint || !translation || routes.has(deployment.id)) continue;
        routes.set(deployment.id, { model: candidate, deployment, endpoint, translation });
      }
    }
    return [...routes.values()];
  }
}

/** A simulated provider answers at the sandbox, under the name of its dialect. */
function baseUrlOf(provider: ProviderDefinition, credentials: CredentialSet, sandboxUrl: string | null): string {
  return credentials.sandbox && sandboxUrl !== null
    ? `${sandboxUrl.replace(/\/+$/, '')}/${provider.dialect}`
    : provider.baseUrl;
}
