import { catalogOperations, type CatalogSnapshot } from '@tollgate/contracts/catalog';
import { catalogListing } from '@tollgate/contracts/edge';
import { unlessRemote } from '../failure';
import type { Gateway } from '../gateway';

/** What the catalog knows of models, asked beside the gateway or from another machine. */
export async function knownCatalog(gateway: Gateway): Promise<Pick<CatalogSnapshot, 'models'>> {
  return (
    (await unlessRemote(gateway.call(catalogOperations.snapshot, {}))) ?? (await gateway.askEdge(catalogListing, {}))
  );
}
