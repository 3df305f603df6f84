import { isDeepStrictEqual } from 'node:util';
import type { InferenceAnnouncement, ListedByProvider } from '@tollgate/contracts';
import type { Logger } from '@tollgate/observability';
import type { ProviderEndpoint } from '../upstream/provider-endpoint';
import { askServer } from './ask-server';
import { readModelList } from './read-model-list';

const everyMs = 60_000;
const timeoutMs = 5_000;
/** A server that is started again keeps its models; one that stays away loses them. */
const mostMisses = 3;

interface Known {
  models: readonly ListedByProvider[];
  /** How often in a row the server gave no list. */
  misses: number;
}

/** Reads what servers with `discover` list, every minute and when the catalog names another one, and tells what came and went. */
export class ModelDiscovery {
  private readonly known = new Map<string, Known>();
  private timer: NodeJS.Timeout | undefined;
  /** Hears that a list is another than before. */
  onChange: () => void = () => undefined;

  /** `endpoints`: where each provider that can be reached is asked now. */
  constructor(
    private readonly endpoints: () => readonly ProviderEndpoint[],
    private readonly logger: Logger,
  ) {}

  /** What was listed the last time, by provider id. */
  get listed(): InferenceAnnouncement['listed'] {
    return Object.fromEntries(Array.from(this.known, ([id, { models }]) => [id, [...models]]));
  }

  start(): void {
    this.timer = setInterval(() => void this.look(), everyMs);
    void this.look();
  }

  stop(): void {
    clearInterval(this.timer);
    this.timer = undefined;
  }

  /** The catalog names other providers, or other addresses: looks at once, if it was started. */
  changed(): void {
    if (this.timer) void this.look();
  }

  /** Never rejects. */
  async look(): Promise<void> {
    const asked = this.endpoints().filter(({ provider, simulated }) => provider.discover && !simulated);
    const ids = new Set(asked.map(({ provider }) => provider.id));
    const left = [...this.known.keys()].filter((id) => !ids.has(id));
    for (const id of left) this.known.delete(id);
    const changes = await Promise.all(asked.map((endpoint) => this.lookAt(endpoint)));
    if (left.length > 0 || changes.includes(true)) this.onChange();
  }

  /** Returns whether the list is another than before. */
  private async lookAt(endpoint: ProviderEndpoint): Promise<boolean> {
    const { id } = endpoint.provider;
    const models = await this.list(endpoint);
    const before = this.known.get(id) ?? { models: [], misses: 0 };
    if (models) return this.take(id, before.models, models);
    if (before.misses + 1 >= mostMisses) return this.take(id, before.models, []);
    this.known.set(id, { ...before, misses: before.misses + 1 });
    return false;
  }

  private take(id: string, before: readonly ListedByProvider[], models: readonly ListedByProvider[]): boolean {
    this.known.set(id, { models, misses: 0 });
    if (isDeepStrictEqual(before, models)) return false;
    const came = namesOf(models).filter((name) => !namesOf(before).includes(name));
    const went = namesOf(before).filter((name) => !namesOf(models).includes(name));
    this.logger.info({ provider: id, came, went }, 'a provider lists other models');
    return true;
  }

  /** Null: it gave none, which is logged. */
  private async list(endpoint: ProviderEndpoint): Promise<ListedByProvider[] | null> {
    const { provider, origin, basePath } = endpoint;
    const where = { provider: provider.id, url: `${origin}${basePath}/models` };
    try {
      const { status, text } = await askServer(endpoint, '/models', timeoutMs);
      const models = status === 200 ? readModelList(text) : null;
      if (!models) this.logger.warn({ ...where, status }, 'a provider gave no list of models');
      return models;
    } catch (error) {
      this.logger.warn({ ...where, err: error }, 'a provider gave no list of models');
      return null;
    }
  }
}

function namesOf(models: readonly ListedByProvider[]): string[] {
  return models.map(({ name }) => name);
}
