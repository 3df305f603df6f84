import { isDeepStrictEqual } from 'node:util';
import { ControlError } from '@tollgate/contracts';
import type { InferenceAnnouncement, ListedByProvider, ModelLook } from '@tollgate/contracts/inference';
import type { Logger } from '@tollgate/observability';
import type { ProviderEndpoint } from '../upstream/provider-endpoint';
import { askWithAnyKey } from './ask-server';
import { listingOf, modelListPath, readModelList } from './read-model-list';

/** How often it is looked whose list is due; none is read more often. */
export const everyMs = 60_000;
const timeoutMs = 5_000;
/** A server that is started again keeps its models; one that stays away loses them. */
const mostMisses = 3;
/** What a server lists is told to everybody, in one message. */
const mostModels = 2_000;
/** Of all the operator's own servers together: a model is up to 1.6 kB of a message of at most 8 MB. */
const mostOfOwn = 3_000;

interface Known {
  models: readonly ListedByProvider[];
  /** How often in a row the server gave no list. */
  misses: number;
  /** When it was asked, of a clock that never goes back, milliseconds. */
  askedAt: number;
}

/**
 * Reads what providers with `discover` list, each as often as that says and when the catalog names another
 * one, and tells what came and went. A server at home that stays away loses its models; of a provider in the
 * cloud the last list holds.
 */
export class ModelDiscovery {
  private readonly known = new Map<string, Known>();
  /** How many models of each list were not read, for the log. */
  private readonly leftOut = new Map<string, number>();
  private readonly listeners: (() => void)[] = [];

  /** `endpoints`: where each provider that can be reached is asked now. */
  constructor(
    private readonly endpoints: () => readonly ProviderEndpoint[],
    private readonly logger: Logger,
    private readonly clock: () => number = () => performance.now(),
  ) {}

  /** What was listed the last time, by provider id. */
  get listed(): InferenceAnnouncement['listed'] {
    return Object.fromEntries(Array.from(this.known, ([id, { models }]) => [id, [...models]]));
  }

  /** Calls this whenever a list is another than before. */
  onChange(listener: () => void): void {
    this.listeners.push(listener);
  }

  /** Reads the lists that are due. Never rejects. */
  async look(): Promise<void> {
    const followed = this.followed();
    const ids = new Set(followed.map(({ provider }) => provider.id));
    const left = [...this.known.keys()].filter((id) => !ids.has(id));
    for (const id of left) this.known.delete(id);
    const looks = await Promise.all(followed.filter((each) => this.isDue(each)).map((each) => this.lookAt(each)));
    if (left.length > 0 || looks.some(differs)) this.changed();
  }

  /**
   * Reads the list of one provider (null: all lists) now.
   * @throws ControlError `not_found` for one whose models are not followed.
   */
  async lookNow(provider: string | null): Promise<ModelLook[]> {
    const asked = this.followed().filter((each) => provider === null || each.provider.id === provider);
    if (provider !== null && asked.length === 0)
      throw new ControlError('not_found', `The models of ${provider} are not followed, or its key is not set.`);
    const looks = await Promise.all(asked.map((each) => this.lookAt(each)));
    if (looks.some(differs)) this.changed();
    return looks;
  }

  private changed(): void {
    for (const listener of this.listeners) listener();
  }

  private followed(): ProviderEndpoint[] {
    return this.endpoints().filter(({ provider, simulated }) => provider.discover && !simulated);
  }

  private isDue({ provider: { id, discover } }: ProviderEndpoint): boolean {
    const known = this.known.get(id);
    const dueMs = (discover?.everyS ?? 0) * 1_000;
    // A server whose list is read every minute is also asked whenever the catalog names others.
    if (!known || dueMs <= everyMs) return true;
    // One that gave none is asked again in a minute, and then after twice as long each time.
    const waitMs = known.misses > 0 ? Math.min(everyMs * 2 ** (known.misses - 1), dueMs) : dueMs;
    return this.clock() - known.askedAt >= waitMs;
  }

  private async lookAt(endpoint: ProviderEndpoint): Promise<ModelLook> {
    const { id, operatorDefined } = endpoint.provider;
    const before = this.known.get(id) ?? { models: [], misses: 0 };
    const listed = await this.list(endpoint, before.misses === 0);
    const models = listed && this.bounded(listed, endpoint);
    const misses = models ? 0 : before.misses + 1;
    const kept = models ?? (operatorDefined && misses >= mostMisses ? [] : before.models);
    this.known.set(id, { models: kept, misses, askedAt: this.clock() });
    const [names, earlier] = [namesOf(kept), namesOf(before.models)];
    const came = names.filter((name) => !earlier.includes(name));
    const went = earlier.filter((name) => !names.includes(name));
    if (came.length + went.length > 0) this.logger.info({ provider: id, came, went }, 'a provider lists other models');
    else if (!isDeepStrictEqual(kept, before.models)) this.changed();
    return { provider: id, models: models?.length ?? null, came, went };
  }

  /** What is told of a list; the log says what is not. A provider of the release leaves no other less. */
  private bounded(models: ListedByProvider[], { provider: { id, operatorDefined } }: ProviderEndpoint) {
    const kept = models.slice(0, operatorDefined ? Math.min(mostModels, this.roomOf(id)) : mostModels);
    const leftOut = models.length - kept.length;
    const isNews = this.leftOut.get(id) !== leftOut;
    this.leftOut.set(id, leftOut);
    if (leftOut > 0 && isNews)
      this.logger.warn({ provider: id, leftOut }, 'a provider lists more models than are read');
    return kept;
  }

  /** What the other servers of the operator leave to this one. */
  private roomOf(id: string): number {
    const others = this.followed().filter(({ provider }) => provider.operatorDefined && provider.id !== id);
    const told = others.map(({ provider }) => this.known.get(provider.id)?.models.length ?? 0);
    return Math.max(0, mostOfOwn - told.reduce((sum, count) => sum + count, 0));
  }

  /** Null: it gave none, which is a warning where that is `news`. */
  private async list(endpoint: ProviderEndpoint, news: boolean): Promise<ListedByProvider[] | null> {
    const listing = listingOf(endpoint);
    const { provider, origin, basePath } = listing;
    const path = modelListPath(provider.dialect);
    const where = { provider: provider.id, url: origin + basePath + path };
    const level = news ? 'warn' : 'debug';
    try {
      const { status, text } = await askWithAnyKey(listing, path, timeoutMs);
      const models = status === 200 ? readModelList(text) : null;
      if (!models) this.logger[level]({ ...where, status }, 'a provider gave no list of models');
      return models;
    } catch (error) {
      this.logger[level]({ ...where, err: error }, 'a provider gave no list of models');
      return null;
    }
  }
}

function differs({ came, went }: ModelLook): boolean {
  return came.length + went.length > 0;
}

function namesOf(models: readonly ListedByProvider[]): string[] {
  return models.map(({ name }) => name);
}
