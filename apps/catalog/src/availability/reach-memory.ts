import { catalogMemory, inferenceAnnouncement } from '@tollgate/contracts';
import type { Logger } from '@tollgate/observability';
import type { KV, NatsConnection } from 'nats';
import type { Reach } from './inference-presence';

const { bucket, key } = catalogMemory;
const storedReach = inferenceAnnouncement.omit({ instance: true });

/**
 * Keeps what the inference instances can reach in a key-value bucket of JetStream, so that a catalog that starts knows it before the first announcement.
 * Without it a restart would tell every edge for five seconds that no model is there.
 */
export class ReachMemory {
  private store: KV | null = null;
  private kept = '';
  private isBusy = false;

  constructor(
    private readonly connection: NatsConnection,
    private readonly logger: Logger,
  ) {}

  /** Null: nothing was kept, or it cannot be read. */
  async recall(): Promise<Reach | null> {
    try {
      const entry = await (await this.open()).get(key);
      if (!entry?.length) return null;
      const { sandbox, providers, listed } = storedReach.parse(entry.json());
      return { sandbox, providers: new Set(providers), listed };
    } catch (error) {
      this.logger.warn({ err: error }, 'the availability from before this start cannot be read');
      return null;
    }
  }

  /** Keeps a reach unless it is kept already. A failure is logged; the next call tries again. */
  async keep({ sandbox, providers, listed }: Reach): Promise<void> {
    const text = JSON.stringify({ sandbox, providers: [...providers].sort(), listed });
    if (text === this.kept || this.isBusy) return;
    this.isBusy = true;
    try {
      await (await this.open()).put(key, text);
      this.kept = text;
    } catch (error) {
      this.logger.warn({ err: error }, 'the availability could not be kept for the next start');
    } finally {
      this.isBusy = false;
    }
  }

  private async open(): Promise<KV> {
    this.store ??= await this.connection.jetstream().views.kv(bucket, { history: 1 });
    return this.store;
  }
}
