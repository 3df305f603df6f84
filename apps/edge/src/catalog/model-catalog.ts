import { Injectable } from '@nestjs/common';
import type { CallerKey, CatalogModel, CatalogSnapshot } from '@tollgate/contracts';
import { GatewayError } from '@tollgate/contracts';
import { isModelAllowed } from '../admission/model-access';
import { ModelIndex } from './model-index';

/** Who asks: only the patterns of a key matter here. */
type ModelUser = Pick<CallerKey, 'models'>;

/** When everything starts at once, inference needs this long at most to tell which providers it can reach. */
const firstAvailabilityMs = 10_000;

/** The models that callers may name, as the newest snapshot of the catalog has them. */
@Injectable()
export class ModelCatalog {
  private index: ModelIndex | null = null;
  private knownSinceMs = 0;

  /** True once a snapshot with live models is here; one without any is believed after ten seconds. */
  get isReady(): boolean {
    if (!this.index) return false;
    return this.index.snapshot.available.length > 0 || performance.now() - this.knownSinceMs > firstAvailabilityMs;
  }

  get isSandbox(): boolean {
    return this.index?.snapshot.sandbox ?? false;
  }

  /** True when the sandbox alone answers for this model. */
  isSimulated(model: CatalogModel): boolean {
    return this.index?.simulated.has(model.id) ?? false;
  }

  /** How requests and answers are logged. Null: they are not, or nothing is known yet. */
  get contentLog(): CatalogSnapshot['contentLog'] {
    return this.index?.snapshot.contentLog ?? null;
  }

  /** The revision of the snapshot, null while there is none. */
  get revision(): number | null {
    return this.index?.snapshot.revision ?? null;
  }

  replace(index: ModelIndex): void {
    if (!this.index) this.knownSinceMs = performance.now();
    this.index = index;
  }

  /**
   * The model that a caller names by id or alias.
   * @throws GatewayError 404 for a model that does not exist or is not live, 403 for one that this key may not use, 503 while the catalog is not known.
   */
  resolve(name: string, key: ModelUser): CatalogModel {
    const index = this.current();
    const model = index.find(name);
    if (!model)
      throw new GatewayError(404, `The model ${quoted(name)} does not exist: GET /v1/models lists what there is.`);
    if (!isModelAllowed(key.models, model.id))
      throw new GatewayError(403, `This API key may not use the model ${quoted(name)}.`);
    if (!index.isAvailable(model))
      throw new GatewayError(
        404,
        `The model ${quoted(name)} is not available now: no credentials of its provider are set.`,
      );
    return model;
  }

  /** Every model that a request for this one may be answered by: itself, then its live fallbacks. */
  placesOf(model: CatalogModel): CatalogModel[] {
    const index = this.current();
    const fallbacks = model.fallbacks.flatMap((id) => index.find(id) ?? []);
    return [model, ...fallbacks.filter((other) => index.isAvailable(other))];
  }

  /** The live models that a key may use, in the catalog's order. @throws GatewayError 503 while the catalog is not known. */
  list(key: ModelUser): CatalogModel[] {
    const index = this.current();
    return index.snapshot.models.filter((model) => index.isAvailable(model) && isModelAllowed(key.models, model.id));
  }

  /** Everything that is known of models. @throws GatewayError 503 while the catalog is not known. */
  snapshot(): CatalogSnapshot {
    return this.current().snapshot;
  }

  private current(): ModelIndex {
    if (!this.index) throw new GatewayError(503, 'The gateway is still starting, try again shortly.', 1);
    return this.index;
  }
}

/** A name from a caller, shortened so that an error stays readable. */
function quoted(name: string): string {
  return JSON.stringify(name.length > 200 ? `${name.slice(0, 200)}…` : name);
}
