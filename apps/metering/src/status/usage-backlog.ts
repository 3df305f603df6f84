import { Inject, Injectable, Optional } from '@nestjs/common';
import { ControlError } from '@tollgate/contracts';
import { usageBacklog } from '@tollgate/messaging';
import type { StreamState } from '@tollgate/messaging';
import { NATS } from '@tollgate/service';
import type { NatsConnection } from 'nats';
import { Databases } from '../databases';
import { MeteringSettings } from '../settings';

/**
 * So long it is told that the stream is a new one: as long as a whole one would keep what was acknowledged.
 */
const toldForMs = 6 * 3_600_000;
/** Clocks differ, and minutes are the finest sums. */
const marginMs = 120_000;

/** How many messages of usage wait in JetStream, and in how many copies. */
@Injectable()
export class UsageBacklog {
  constructor(
    @Inject(NATS) private readonly connection: NatsConnection,
    private readonly settings: MeteringSettings,
    private readonly databases: Databases,
    @Optional() private readonly now: () => number = Date.now,
  ) {}

  /** @throws ControlError `unavailable` when JetStream does not answer. */
  async read(): Promise<StreamState> {
    try {
      return await usageBacklog(this.connection, this.settings.copies);
    } catch {
      throw new ControlError('unavailable', 'JetStream does not say how much usage is waiting; try again in a moment.');
    }
  }

  /**
   * When the stream of usage was made anew, epoch milliseconds: there was usage before it, and what waited in
   * the stream of that time is not here. Null: it is the first one, or some hours old. @throws what the
   * database says.
   */
  async madeAnew({ madeAt }: Pick<StreamState, 'madeAt'>): Promise<number | null> {
    if (this.now() - madeAt > toldForMs) return null;
    const before = new Date(madeAt - marginMs);
    const [found] = await this.databases.operations.$queryRaw<{ before: boolean }[]>`
      SELECT EXISTS (SELECT 1 FROM usage_minute WHERE at < ${before}) AS before`;
    return found?.before === true ? madeAt : null;
  }
}
