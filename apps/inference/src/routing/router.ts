import { isDeepStrictEqual } from 'node:util';
import type { SurfaceName } from '@tollgate/contracts';
import type { CatalogSnapshot, ProviderDefinition } from '@tollgate/contracts/catalog';
import type { GenerationRequest } from '@tollgate/contracts/inference';
import type { OwnKeys } from '../credentials/own-keys';
import { type CredentialSet, type ProviderCredentials, sameCredentials } from '../credentials/provider-credentials';
import type { AttemptGate } from '../health/attempt-gate';
import type { KeyRests } from '../health/key-rests';
import { Authorizers } from '../upstream/authorizers';
import { withOwnKey } from '../upstream/provider-endpoint';
import type { ProviderEndpoint } from '../upstream/provider-endpoint';
import type { UpstreamPools } from '../upstream/upstream-pools';
import { type Route, RouteTable } from './route-table';

/** Routes by the newest snapshot and the credentials as they were when it came. */
export class Router {
  private table: RouteTable | null = null;
  private credentials: CredentialSet | null = null;
  /** Of the snapshot that is in use; undefined: none was told. */
  private digest: string | undefined;
  private definitions: readonly ProviderDefinition[] = [];
  private readonly authorizers = new Authorizers();

  /**
   * `onProblem` hears why a provider cannot be used although it has a credential, or accounts may bring one:
   * sentences without secrets.
   */
  constructor(
    private readonly source: ProviderCredentials,
    private readonly sandboxUrl: string | null,
    private readonly pools: Pick<UpstreamPools, 'retain'>,
    private readonly gate: Pick<AttemptGate, 'retain'>,
    private readonly keys: Pick<KeyRests, 'retain'>,
    private readonly onProblem: (problem: string) => void = () => undefined,
  ) {}

  /** False before the first snapshot. */
  get knowsCatalog(): boolean {
    return this.table !== null;
  }

  /** True while the sandbox stands in for built-in providers. */
  get sandbox(): boolean {
    return this.table?.sandbox ?? false;
  }

  /** Ids of the providers that this instance can reach now, simulated ones included. */
  get providers(): string[] {
    return this.table ? [...this.table.endpoints.keys()] : [];
  }

  /** Why providers cannot be used that were set, or given keys, without the environment, by their ids. */
  get faults(): ReadonlyMap<string, string> {
    return this.credentials?.faults ?? new Map<string, string>();
  }

  /** Where each reachable provider is asked in its main dialect. */
  get endpoints(): ProviderEndpoint[] {
    return [...(this.table?.endpoints.values() ?? [])].flatMap((endpoints) => [...endpoints.values()].slice(0, 1));
  }

  /** True when a place of the model can be reached, but none that speaks what the caller does. */
  isBeyond(modelId: string, surface: SurfaceName, own = false): boolean {
    return this.table?.isBeyond(modelId, surface, own) ?? false;
  }

  /** True for a model of the newest snapshot, or a name that one of its providers passes on. */
  knows(modelId: string): boolean {
    return this.table?.modelOf(modelId) != null;
  }

  /** A provider as the newest snapshot has it, whether it can be reached or not. */
  definitionOf(provider: string): ProviderDefinition | undefined {
    return this.definitions.find(({ id }) => id === provider);
  }

  /** What the catalog calls the models of one provider there. */
  modelsAt(provider: string): string[] {
    return this.table?.modelsAt(provider) ?? [];
  }

  /** The public id of what a provider calls so. */
  modelNamed(provider: string, name: string): string {
    return this.table?.modelNamed(provider, name) ?? `${provider}/${name}`;
  }

  /** Ids of the reachable providers that answer themselves. */
  get realProviders(): string[] {
    const access = [...(this.credentials?.access ?? [])];
    return access.flatMap(([id, { simulated }]) => (simulated ? [] : [id]));
  }

  /**
   * Takes a snapshot into use. Returns true when other services should hear that the reachable providers
   * changed.
   */
  use(snapshot: CatalogSnapshot): boolean {
    const credentials = this.source.read(snapshot.providers);
    const known = this.credentials;
    const isSame = snapshot.digest !== undefined && snapshot.digest === this.digest;
    const held = isSame && isDeepStrictEqual(known, credentials) ? this.table : null;
    const table = held ?? this.routesOf(snapshot, credentials, known);
    const endpoints = [table.endpoints, table.ownKeysOnly].flatMap((ofProviders) =>
      [...ofProviders.values()].flatMap((ofProvider) => [...ofProvider.values()]),
    );
    // Each time: what ran while a place went may have brought something of it back.
    this.pools.retain(endpoints);
    this.keys.retain(endpoints);
    this.gate.retain(table.places, snapshot.held);
    return !known || !sameCredentials(known, credentials);
  }

  private routesOf(snapshot: CatalogSnapshot, credentials: CredentialSet, known: CredentialSet | null): RouteTable {
    for (const problem of credentials.problems) if (!known?.problems.includes(problem)) this.onProblem(problem);
    for (const [id, fault] of credentials.faults)
      if (known?.faults.get(id) !== fault) this.onProblem(`${id}: ${fault}`);
    this.credentials = credentials;
    this.definitions = snapshot.providers;
    this.digest = snapshot.digest;
    this.authorizers.retain(Array.from(credentials.access.values(), ({ credential }) => credential));
    this.table = new RouteTable(snapshot, credentials, this.sandboxUrl, this.authorizers);
    return this.table;
  }

  /** As RouteTable's. Empty: nothing here can generate the model. */
  routes(...asked: Parameters<RouteTable['routes']>): readonly Route[] {
    return this.table?.routes(...asked) ?? [];
  }

  /** Those of the model itself, of whatever kind it is, without its fallbacks. */
  ownRoutes(...asked: Parameters<RouteTable['ownRoutes']>): readonly Route[] {
    return this.table?.ownRoutes(...asked) ?? [];
  }
}

/** `unusable`: the name of a provider whose key cannot be opened; null: all can. */
interface OwnRoutes {
  routes: readonly Route[];
  unusable: string | null;
}

/**
 * Those of these routes that a request goes to which brings keys of its account: at their providers alone,
 * and with these keys. No other may be asked in their place, since the operator would pay.
 */
export function ownRoutes(
  { accountId, ownKeys = {} }: Pick<GenerationRequest, 'accountId' | 'ownKeys'>,
  routes: readonly Route[],
  keys: Pick<OwnKeys, 'open'>,
): OwnRoutes {
  let unusable: string | null = null;
  const own = routes.flatMap((route) => {
    const { provider, simulated } = route.endpoint;
    const sealed = Object.hasOwn(ownKeys, provider.id) ? ownKeys[provider.id] : undefined;
    // No secret goes to a simulated provider, nor to one that was closed to own keys after it was brought.
    if (sealed === undefined || simulated || !provider.ownKeys) return [];
    const key = keys.open(accountId, provider, sealed);
    if (!key) {
      unusable ??= provider.name;
      return [];
    }
    const elsewhere = route.elsewhere.map((way) => ({ ...way, endpoint: withOwnKey(way.endpoint, key) }));
    return [{ ...route, endpoint: withOwnKey(route.endpoint, key), elsewhere }];
  });
  return { routes: own, unusable };
}
