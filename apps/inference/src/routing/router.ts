import type { CatalogSnapshot, DialectName } from '@tollgate/contracts';
import { sameCredentials, type CredentialSet, type ProviderCredentials } from '../credentials/provider-credentials';
import type { UpstreamPools } from '../upstream/upstream-pools';
import { RouteTable, type Route } from './route-table';

/** Routes by the newest snapshot and the credentials as they were when it came. */
export class Router {
  private table: RouteTable | null = null;
  private credentials: CredentialSet | null = null;

  constructor(
    private readonly source: ProviderCredentials,
    private readonly sandboxUrl: string | null,
    private readonly pools: Pick<UpstreamPools, 'retain'>,
  ) {}

  /** True while the simulated providers answer. */
  get sandbox(): boolean {
    return this.table?.sandbox ?? false;
  }

  /** Ids of the providers that this instance can reach now. */
  get providers(): string[] {
    return this.table ? [...this.table.endpoints.keys()] : [];
  }

  /** Takes a snapshot into use. Returns true when other services should hear that the reachable providers changed. */
  use(snapshot: CatalogSnapshot): boolean {
    const credentials = this.source.read(snapshot.providers);
    const changed = !this.credentials || !sameCredentials(this.credentials, credentials);
    this.credentials = credentials;
    this.table = new RouteTable(snapshot, credentials, this.sandboxUrl);
    this.pools.retain(this.table.endpoints.values());
    return changed;
  }

  /** Empty: nothing here can generate the model. */
  routes(modelId: string, surface: DialectName): readonly Route[] {
    return this.table?.routes(modelId, surface) ?? [];
  }
}
