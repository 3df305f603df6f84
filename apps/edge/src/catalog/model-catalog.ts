import { Injectable } from '@nestjs/common';
import { GatewayError } from '@tollgate/contracts';
import type { CallerKey } from '@tollgate/contracts/accounts';
import {
  formsOf,
  hasOldPrices,
  hasSameContent,
  isModelAllowed,
  isRetired,
  ModelIndex,
  nearestModels,
  newestModels,
  unlistedModel,
} from '@tollgate/contracts/catalog';
import type { CatalogModel, CatalogSnapshot, OwnKeys } from '@tollgate/contracts/catalog';
import { Clock } from '../clock';

/** Who asks: only the patterns of a key matter here, and what its account brought. */
type ModelUser = Pick<CallerKey, 'models' | 'ownKeys'>;

/**
 * What a name stands for. `asked`: the name as the caller wrote it, where that is none that the model goes
 * by; `redirectedFrom`: the model that was meant, where its provider has retired it and answers with this
 * one.
 */
export interface Resolved {
  model: CatalogModel;
  asked: string | null;
  redirectedFrom: CatalogModel | null;
}

/** When everything starts at once, inference needs this long at most to tell which providers it can reach. */
const firstAvailabilityMs = 10_000;

/** The models that callers may name, as the newest snapshot of the catalog has them. */
@Injectable()
export class ModelCatalog {
  private index: ModelIndex | null = null;
  private knownSinceMs = 0;

  constructor(private readonly clock: Clock) {}

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

  /** True when the operator's keys reach a provider of this model. */
  isForAll(model: CatalogModel): boolean {
    return this.index?.isForAll(model) ?? false;
  }

  /** How requests and answers are logged. Null: they are not, or nothing is known yet. */
  get contentLog(): CatalogSnapshot['contentLog'] {
    return this.index?.snapshot.contentLog ?? null;
  }

  /** The revision under which the snapshot in use came first, null while there is none. */
  get revision(): number | null {
    return this.index?.snapshot.revision ?? null;
  }

  /** Uses a snapshot from now on. False: it is in use already. */
  use(snapshot: CatalogSnapshot): boolean {
    if (this.index && hasSameContent(this.index.snapshot, snapshot)) return false;
    if (!this.index) this.knownSinceMs = performance.now();
    this.index = new ModelIndex(snapshot);
    return true;
  }

  /**
   * The model that a caller names: by id, alias, or a name without a provider, which means its maker's where
   * several live models have it. Among those that take a key of the caller's account it is looked for only
   * where no other is live: to bring one changes no name's meaning. Marks that clients add (`[1m]`, the day
   * of a snapshot) and another spelling lead to the model itself.
   * @throws GatewayError 404 for a model that does not exist, is ambiguous, retired or not live, 403 for one
   * that this key may not use, 503 while the catalog is not known.
   */
  resolve(name: string, key: ModelUser): Resolved {
    const index = this.current();
    const own = index.named(name);
    if (own.length > 0) return this.chosen(index, own, name, null, key);
    for (const form of formsOf(name)) {
      const named = index.named(form);
      if (named.length > 0) return this.chosen(index, named, name, name, key);
      const gone = index.goneName(form);
      if (gone) throw this.retired(index, name, gone, key);
    }
    const unlisted = index.unlisted(name, key.ownKeys);
    if (unlisted && !isModelAllowed(key.models, unlisted.id))
      throw new GatewayError(403, `This API key may not use the model ${quoted(name)}.`);
    if (unlisted) return { model: unlisted, asked: null, redirectedFrom: null };
    throw noModel(`The model ${quoted(name)} does not exist.${this.suggestion(index, name, key)}`);
  }

  /**
   * Refuses a request for `model` that has its provider ask others beside it which the key may not use, or
   * which nobody here knows. Where the provider speaks another dialect it is not told of them.
   * @throws GatewayError 403 naming the model.
   */
  checkBeside(names: readonly string[], model: CatalogModel, key: ModelUser): void {
    if (key.models.length === 0 || names.length === 0) return;
    const { providers } = this.current().snapshot;
    const speakers = new Set(providers.filter(({ dialect }) => dialect === 'anthropic-messages').map(({ id }) => id));
    if (!model.deployments.some(({ provider }) => speakers.has(provider))) return;
    for (const name of names) {
      try {
        this.resolve(name, key);
      } catch (error) {
        if (!(error instanceof GatewayError) || error.status === 503) throw error;
        throw new GatewayError(403, `This API key may not use the model ${quoted(name)}.`);
      }
    }
  }

  /**
   * The id of the model that a report is asked of, by any name that generation takes for it; also of one that
   * this key may not use (any more) or nobody can, for it may have been used.
   * @throws GatewayError 404 for a name that no model has and none is known to have had, or several have, 503
   * while the catalog is not known.
   */
  reported(name: string): string {
    const index = this.current();
    for (const form of [name, ...formsOf(name)]) {
      const named = index.named(form);
      const model = index.preferred(named);
      if (model) return model.id;
      if (named.length > 0) {
        const ids = named.map(({ id }) => id).join(', ');
        throw new GatewayError(404, `The model ${quoted(name)} may be one of several: name ${ids}.`);
      }
      // Of a model that left the catalog only what was used of it is left.
      if (index.goneName(form)) return form;
    }
    // It may have been used with a key of an account where the operator has none.
    if (unlistedModel(index.snapshot.providers, name)) return name;
    throw noModel(`The model ${quoted(name)} does not exist.`);
  }

  /**
   * When the prices of a model were taken from their source (null: not known, or the operator set them),
   * whether that is longer ago than the operator trusts, and whether sources disagree; null: there is no such
   * model.
   */
  priceStanding(id: string): { day: string | null; old: boolean; unconfirmed: boolean } | null {
    const model = this.index?.byId(id);
    if (!this.index || !model) return null;
    const old = hasOldPrices(model, this.index.snapshot.pricesOldAfterDays, Date.now());
    return { day: model.pricesAsOf ?? null, old, unconfirmed: model.priceUnconfirmed };
  }

  /**
   * Every model that a request for this one may be answered by: itself, then its live fallbacks. `ownKeys`:
   * those with which it goes.
   */
  placesOf(model: CatalogModel, ownKeys?: OwnKeys): CatalogModel[] {
    const index = this.current();
    const fallbacks = model.fallbacks.flatMap((id) => index.byId(id) ?? []);
    return [model, ...fallbacks.filter((other) => index.isAvailable(other, ownKeys))];
  }

  /**
   * The live models that a key may use, in the catalog's order.
   * @throws GatewayError 503 while the catalog is not known.
   */
  list(key: ModelUser): CatalogModel[] {
    const index = this.current();
    return this.usable(index, index.snapshot.models, key);
  }

  /** Everything that is known of models. @throws GatewayError 503 while the catalog is not known. */
  snapshot(): CatalogSnapshot {
    return this.current().snapshot;
  }

  private chosen(
    index: ModelIndex,
    named: readonly CatalogModel[],
    name: string,
    asked: string | null,
    key: ModelUser,
  ): Resolved {
    const live = named.filter((model) => this.isLive(index, model, key));
    const allowed = live.filter(({ id }) => isModelAllowed(key.models, id));
    const forAll = allowed.filter((one) => index.isAvailable(one));
    const usable = forAll.length > 0 ? forAll : allowed;
    const model = index.preferred(usable);
    if (model) return { model, asked, redirectedFrom: null };
    if (usable.length > 0) {
      const ids = usable.map(({ id }) => id).join(', ');
      throw new GatewayError(404, `The model ${quoted(name)} may be one of several: name ${ids}.`);
    }
    const meant = index.preferred(live) ?? index.preferred(named) ?? named[0];
    if (!meant || !isModelAllowed(key.models, meant.id))
      throw new GatewayError(403, `This API key may not use the model ${quoted(name)}.`);
    if (index.isOff(meant))
      throw noModel(
        `The model ${quoted(name)} is not offered: ${meant.discovered ? 'it is new, and an administrator has not switched it on yet' : 'an administrator has switched it off'}.${this.suggestion(index, name, key)}`,
      );
    if (!isRetired(meant.retirement, this.clock.nowMs()))
      throw noModel(
        `The model ${quoted(name)} is not available now: no credentials of its provider are set.${this.suggestion(index, name, key)}`,
      );
    const successor = meant.retirement?.redirects ? index.byId(meant.retirement.successor ?? '') : null;
    if (!successor || !this.isLive(index, successor, key)) throw this.retired(index, name, meant.retirement, key);
    return { ...this.chosen(index, [successor], name, asked, key), redirectedFrom: meant };
  }

  private retired(
    index: ModelIndex,
    name: string,
    end: { date: string | null; successor: string | null } | null,
    key: ModelUser,
  ): GatewayError {
    const when = end?.date ? ` on ${end.date}` : '';
    const successor = index.byId(end?.successor ?? '');
    const isThere = successor !== null && this.usable(index, [successor], key).length > 0;
    const next = end?.successor
      ? ` Its successor is ${end.successor}${isThere ? '' : ', which is not to be had here'}.`
      : '';
    const others = isThere ? '' : this.suggestion(index, name, key);
    return noModel(`The model ${quoted(name)} was retired by its provider${when}.${next}${others}`);
  }

  /** What may be asked for instead: what the name was probably meant for, else some of what there is. */
  private suggestion(index: ModelIndex, name: string, key: ModelUser): string {
    const models = this.usable(index, index.makersFirst, key);
    const near = nearestModels(name, models);
    if (near.length > 0) return ` Did you mean ${near.join(', ')}? GET /v1/models lists what there is.`;
    const others = newestModels(models);
    return ` GET /v1/models lists what there is${others.length > 0 ? `, such as ${others.join(', ')}` : ''}.`;
  }

  private usable(index: ModelIndex, models: readonly CatalogModel[], key: ModelUser): CatalogModel[] {
    return models.filter((model) => this.isLive(index, model, key) && isModelAllowed(key.models, model.id));
  }

  private isLive(index: ModelIndex, model: CatalogModel, { ownKeys }: Pick<ModelUser, 'ownKeys'>): boolean {
    return index.isAvailable(model, ownKeys) && !isRetired(model.retirement, this.clock.nowMs());
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

function noModel(message: string): GatewayError {
  return new GatewayError(404, message).because('model_not_found');
}
