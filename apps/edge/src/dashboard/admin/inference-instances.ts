import { Injectable } from '@nestjs/common';
import { catalogSubjects } from '@tollgate/contracts/catalog';
import { inferenceAnnouncement } from '@tollgate/contracts/inference';
import { subscribeJson } from '@tollgate/messaging';
import { Clock } from '../../clock';
import { EdgeMetrics } from '../../edge-metrics';
import { MessagingLink } from '../../messaging-link';

/** Instances announce themselves every five seconds; one that was silent for three times that is gone. */
const goneAfterMs = 15_000;

/** Which inference instances run, as far as this edge hears. */
@Injectable()
export class InferenceInstances {
  private readonly heardAtMs = new Map<string, number>();

  constructor(
    link: MessagingLink,
    private readonly clock: Clock,
    metrics: EdgeMetrics,
  ) {
    metrics.watchInstances(() => this.count);
    subscribeJson(link.connection, catalogSubjects.inferenceAnnouncement, inferenceAnnouncement, ({ instance }) => {
      this.heardAtMs.set(instance, clock.monotonicMs());
    });
  }

  get count(): number {
    const nowMs = this.clock.monotonicMs();
    for (const [instance, atMs] of this.heardAtMs) if (nowMs - atMs > goneAfterMs) this.heardAtMs.delete(instance);
    return this.heardAtMs.size;
  }
}
