import { Inject, Injectable } from '@nestjs/common';
import { priceFactors } from '@tollgate/contracts';
import { catalogMemory, catalogSnapshot, priceSheet } from '@tollgate/contracts/catalog';
import { inferenceAnnouncement } from '@tollgate/contracts/inference';
import type { Logger } from '@tollgate/observability';
import { LOGGER, NATS } from '@tollgate/service';
import { Events } from 'nats';
import type { KV, NatsConnection } from 'nats';
import { z } from 'zod';
import { noSettings, type Choices } from '../operator/operator-choices';
import type { Reach } from './inference-presence';

const { bucket, key } = catalogMemory;
const { disabled, held } = catalogSnapshot.shape;
const approved = z.array(z.string()).default([]);
/** Releases of before 27 November 2026 kept none. */
const settings = z.object({ version: z.number(), document: z.string() }).default(noSettings);
/** What is sealed may be kept anywhere. */
const keys = z
  .array(
    z.object({
      ...{ provider: z.string(), name: z.string(), baseUrl: z.string(), sealed: z.string() },
      ...{ lastFour: z.string().nullable(), setAt: z.number(), setBy: z.string() },
    }),
  )
  .default([]);
// What another release kept of these, and this one does not understand, does not cost all else.
const standing = z
  .array(z.tuple([z.string(), z.array(z.object({ prices: priceSheet.nullable(), from: z.number() }))]))
  .catch([]);
const factors = z
  .array(z.tuple([z.string(), z.array(z.object({ factors: priceFactors.nullable(), from: z.number() }))]))
  .catch([]);
const stored = inferenceAnnouncement
  .pick({ sandbox: true, providers: true, listed: true })
  .extend({ disabled, approved, held, settings, keys, standing, factors });

const againEveryMs = 60_000;

/** What was true when it was kept. */
interface Remembered {
  reach: Reach;
  choices: Choices;
}

/**
 * Keeps what the inference instances can reach, and what operators chose, in a key-value bucket of JetStream,
 * so that a catalog that starts knows the one before the first announcement and the other while Postgres is
 * away. Without it a restart would tell every edge for five seconds that no model is there, or open what an
 * operator closed.
 */
@Injectable()
export class ReachMemory {
  private store: KV | null = null;
  private kept = '';
  /** When it is kept again though it is the same: its bucket may be lost while this connection stands. */
  private againAtMs = 0;
  private isBusy = false;

  constructor(
    @Inject(NATS) private readonly connection: NatsConnection,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    void this.watch();
  }

  /** Null: nothing was kept, or it cannot be read. */
  async recall(): Promise<Remembered | null> {
    try {
      const entry = await (await this.open()).get(key);
      if (!entry?.length) return null;
      const { sandbox, providers, listed, disabled: off, approved: on, ...rest } = stored.parse(entry.json());
      const reach = { sandbox, providers: new Set(providers), listed };
      const { held: holds, settings: inForce, keys: given, standing: set, factors: ofPlaces } = rest;
      return {
        reach,
        choices: {
          ...{ disabled: new Set(off), approved: new Set(on), held: holds, settings: inForce, keys: given },
          ...{ standing: new Map(set), factors: new Map(ofPlaces) },
        },
      };
    } catch (error) {
      this.logger.warn({ err: error }, 'the availability from before this start cannot be read');
      return null;
    }
  }

  /** Keeps both unless they were kept a minute ago. A failure is logged; the next call tries again. */
  async keep({ sandbox, providers, listed }: Reach, choices: Choices): Promise<void> {
    const reach = { sandbox, providers: [...providers].sort(), listed };
    const { disabled: off, approved: on, held: holds, settings: inForce, keys: given } = choices;
    const chosen = {
      ...{ disabled: [...off], approved: [...on], held: holds, settings: inForce, keys: given },
      ...{ standing: [...choices.standing], factors: [...choices.factors] },
    };
    const text = JSON.stringify({ ...reach, ...chosen });
    if ((text === this.kept && Date.now() < this.againAtMs) || this.isBusy) return;
    this.isBusy = true;
    try {
      await (await this.open()).put(key, text);
      this.kept = text;
      this.againAtMs = Date.now() + againEveryMs;
    } catch (error) {
      this.store = null;
      this.logger.warn({ err: error }, 'the availability could not be kept for the next start');
    } finally {
      this.isBusy = false;
    }
  }

  /**
   * A server that is back may have lost its store: what is there is kept again, in a bucket that is made
   * where it is missing.
   */
  private async watch(): Promise<void> {
    for await (const { type } of this.connection.status())
      if (type === Events.Reconnect) {
        this.store = null;
        this.kept = '';
      }
  }

  private async open(): Promise<KV> {
    this.store ??= await this.connection.jetstream().views.kv(bucket, { history: 1 });
    return this.store;
  }
}
