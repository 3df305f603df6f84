import type { CallerKey } from '../accounts/accounts';
import { simulatedModels, type CatalogModel, type CatalogSnapshot } from './catalog';
import { bareName, spelling } from './model-names';
import { takersOfOwnKeys } from '../accounts/own-keys';
import type { RetiredName } from './retirement';
import { unlistedModel } from './unlisted-model';

/**
 * The context-window mark of Claude Code: `claude-opus-5[1m]`. https://code.claude.com/docs/en/model-config
 */
const windowMark = /\[1m\]$/i;
/** The day of a snapshot: `-2025-04-14`, `-20250929`, `@20250929`. */
const snapshotDay = /(?:-\d{4}-\d{2}-\d{2}|[-@]\d{8})$/;
/** No name of a model is longer, and no other character is in one. */
const plainName = /^[\x21-\x7e]{1,200}$/;

/** Keys of providers that the account of a caller brought, by provider. */
export type OwnKeys = CallerKey['ownKeys'];

/**
 * What a name may be short or long for, the likeliest first: as it is, and without the marks that clients add
 * to names.
 */
export function formsOf(name: string): string[] {
  if (!plainName.test(name)) return [name];
  const unmarked = name.replace(windowMark, '');
  return [...new Set([name, unmarked, unmarked.replace(snapshotDay, '')])];
}

/** A snapshot of the catalog, indexed by every name that a model goes by. */
export class ModelIndex {
  private readonly byName = new Map<string, CatalogModel>();
  /** Models that share a name without a provider, or one of another spelling. */
  private readonly shared = new Map<string, CatalogModel[]>();
  private readonly gone: ReadonlyMap<string, RetiredName>;
  private readonly available: Set<string>;
  /** Ids of the providers that are asked with keys of accounts. */
  private readonly takers: ReadonlySet<string>;
  /** Ids of those that the sandbox alone answers for. */
  readonly simulated: ReadonlySet<string>;
  /** How the names of a provider's own models begin, by its id. */
  private readonly makes: ReadonlyMap<string, readonly string[]>;
  /**
   * All models, those before others that are offered by who made them. Sorted once: whoever asks for names
   * that nobody has asks often.
   */
  readonly makersFirst: readonly CatalogModel[];

  constructor(readonly snapshot: CatalogSnapshot) {
    this.available = new Set(snapshot.available);
    this.takers = new Set(takersOfOwnKeys(snapshot).map(({ id }) => id));
    this.simulated = simulatedModels(snapshot);
    this.makes = new Map(snapshot.providers.map(({ id, makes }) => [id, makes]));
    this.gone = new Map(snapshot.retiredNames.map((each) => [each.name, each]));
    for (const model of snapshot.models) this.byName.set(model.id, model);
    for (const model of snapshot.models)
      for (const alias of model.aliases) if (!this.byName.has(alias)) this.byName.set(alias, model);
    for (const model of snapshot.models) this.share(model);
    const makers = new Set(snapshot.models.filter((model) => this.isMakers(model)));
    this.makersFirst = [...makers, ...snapshot.models.filter((model) => !makers.has(model))];
  }

  /** The model of this id or configured alias, else all that share the name; empty: there is none. */
  named(name: string): readonly CatalogModel[] {
    const own = this.byName.get(name);
    return own ? [own] : (this.shared.get(name) ?? this.shared.get(`~${spelling(name)}`) ?? []);
  }

  /** The models, offered now or not, that requests may mean by a name; empty: there is none. */
  meant(name: string): readonly CatalogModel[] {
    for (const form of [name, ...formsOf(name)]) {
      const named = this.named(form);
      if (named.length > 0) return named;
    }
    const unlisted = unlistedModel(this.snapshot.providers, name);
    return unlisted ? [unlisted] : [];
  }

  /**
   * The one of these that a name means: the only one, else the maker's only one. Null: none, or it cannot be
   * told.
   */
  preferred(models: readonly CatalogModel[]): CatalogModel | null {
    const [first = null, ...others] = models;
    if (others.length === 0) return first;
    const [makers = null, ...more] = models.filter((model) => this.isMakers(model));
    return more.length === 0 ? makers : null;
  }

  /** A name that a provider once served; null: none that is known. */
  goneName(name: string): RetiredName | null {
    return this.gone.get(name) ?? null;
  }

  byId(id: string): CatalogModel | null {
    const model = this.byName.get(id);
    return model?.id === id ? model : null;
  }

  /** The model of a name that a provider within reach passes on although nobody lists it; null: none does. */
  unlisted(name: string, ownKeys?: OwnKeys): CatalogModel | null {
    const model = unlistedModel(this.snapshot.providers, name);
    if (!model) return null;
    return this.snapshot.reachable.includes(model.provider) || this.isAtOwn(model, ownKeys) ? model : null;
  }

  /** `ownKeys`: a model is there as well for who brings a key of a provider that has it. */
  isAvailable(model: CatalogModel, ownKeys?: OwnKeys): boolean {
    return this.available.has(model.id) || (this.isAtOwn(model, ownKeys) && !this.isOff(model));
  }

  /** Whether a model, listed or not, is there for who brings no key. */
  isForAll(model: CatalogModel): boolean {
    return model.unlisted ? this.snapshot.reachable.includes(model.provider) : this.isAvailable(model);
  }

  /** True when an operator switched it off, or has not switched it on yet. */
  isOff({ id }: CatalogModel): boolean {
    return this.snapshot.disabled.includes(id);
  }

  /** True when a model is offered by those who made it. */
  isMakers(model: CatalogModel): boolean {
    const bare = bareName(model).toLowerCase();
    return (this.makes.get(model.provider) ?? []).some((beginning) => bare.startsWith(beginning));
  }

  private isAtOwn({ deployments }: CatalogModel, ownKeys: OwnKeys): boolean {
    if (!ownKeys) return false;
    return deployments.some(({ provider }) => Object.hasOwn(ownKeys, provider) && this.takers.has(provider));
  }

  /**
   * A model goes by its name without its provider and by its names at providers too, unless that looks like
   * another provider's id (Groq's `openai/gpt-oss-20b`).
   */
  private share(model: CatalogModel): void {
    const upstream = model.deployments.map(({ upstreamModel }) => upstreamModel);
    for (const name of new Set([bareName(model), this.withoutMaker(bareName(model)), ...upstream])) {
      const [prefix = '', ...rest] = name.split('/');
      if (rest.length && this.makes.has(prefix)) continue;
      this.add(name, model);
      this.add(`~${spelling(name)}`, model);
    }
    this.add(`~${spelling(model.id)}`, model);
  }

  /** Bedrock writes the maker before the name: `anthropic.claude-opus-5`. */
  private withoutMaker(bare: string): string {
    const [maker = '', ...rest] = bare.split('.');
    return rest.length > 0 && this.makes.has(maker) ? rest.join('.') : bare;
  }

  private add(name: string, model: CatalogModel): void {
    const models = this.shared.get(name);
    if (!models) this.shared.set(name, [model]);
    else if (!models.includes(model)) models.push(model);
  }
}
