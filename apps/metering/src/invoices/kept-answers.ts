import { Injectable } from '@nestjs/common';
import type { BilledDay, KeptAnswer } from '@tollgate/contracts/metering';
import { Databases } from '../databases';
import { eventsOfDay } from './events-of-day';

/** The answers whose cost a provider tells by their ids. */
@Injectable()
export class KeptAnswers {
  constructor(private readonly databases: Databases) {}

  /**
   * Of a step of a day's events behind the event `after`; null: the first step. Attempts that nobody was
   * charged for have answers, too. `next` null: there are no more events.
   */
  async find(
    { provider, day }: BilledDay,
    after: string | null,
  ): Promise<{ answers: KeptAnswer[]; next: string | null }> {
    for await (const events of eventsOfDay(this.databases, day, after)) {
      const answers = events.flatMap(({ id: eventId, model, attempts }) =>
        attempts.flatMap(({ provider: asked, answerId }) =>
          asked === provider && answerId !== undefined ? [{ answerId, eventId, model }] : [],
        ),
      );
      return { answers, next: events.at(-1)?.id ?? null };
    }
    return { answers: [], next: null };
  }
}
