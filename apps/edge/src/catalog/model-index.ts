import { simulatedModels, type CatalogModel, type CatalogSnapshot } from '@tollgate/contracts';

/** A snapshot of the catalog, indexed by every name that a model goes by. */
export class ModelIndex {
  private readonly byName = new Map<string, CatalogModel>();
  private readonly available: Set<string>;
  /** Ids of those that the sandbox alone answers for. */
  readonly simulated: ReadonlySet<string>;

  constructor(readonly snapshot: CatalogSnapshot) {
    this.available = new Set(snapshot.available);
    this.simulated = simulatedModels(snapshot);
    for (const model of snapshot.models) this.byName.set(model.id, model);
    for (const model of snapshot.models)
      for (const alias of model.aliases) if (!this.byName.has(alias)) this.byName.set(alias, model);
    this.addBareIds(snapshot.models);
  }

  /** The model of this id or alias; undefined when there is none. */
  find(name: string): CatalogModel | undefined {
    return this.byName.get(name);
  }

  isAvailable(model: CatalogModel): boolean {
    return this.available.has(model.id);
  }

  /** An id without its provider names a model too, where only one model has it. */
  private addBareIds(models: readonly CatalogModel[]): void {
    const owners = new Map<string, CatalogModel | null>();
    for (const model of models) {
      const bare = model.id.slice(model.id.indexOf('/') + 1);
      owners.set(bare, owners.has(bare) ? null : model);
    }
    for (const [bare, model] of owners) if (model && !this.byName.has(bare)) this.byName.set(bare, model);
  }
}
