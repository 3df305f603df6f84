import type { Provider } from '@nestjs/common';
import { OrphanedUsage, UsageJournal, UsagePublisher } from '@tollgate/messaging';
import type { Logger } from '@tollgate/observability';
import { LOGGER, NATS } from '@tollgate/service';
import type { NatsConnection } from 'nats';
import { InferenceSettings } from '../settings';

/** What constructors ask for with `@Inject(…)`; both null: usage under way is kept in memory only. */
export const JOURNAL = Symbol('journal of usage, or null');
export const ORPHANS = Symbol('usage of instances that died, or null');

/** How usage comes to be stored, whatever becomes of this process. */
export const usageProviders: Provider[] = [
  {
    provide: JOURNAL,
    inject: [InferenceSettings, LOGGER],
    useFactory: ({ journalFolder }: InferenceSettings, logger: Logger) =>
      journalFolder === null ? null : new UsageJournal(journalFolder, { logger }),
  },
  {
    provide: UsagePublisher,
    inject: [NATS, JOURNAL, LOGGER],
    useFactory: (connection: NatsConnection, journal: UsageJournal | null, logger: Logger) =>
      new UsagePublisher(connection, { journal, logger }),
  },
  {
    provide: ORPHANS,
    inject: [JOURNAL, UsagePublisher, LOGGER],
    useFactory: (journal: UsageJournal | null, publisher: UsagePublisher, logger: Logger) =>
      journal && new OrphanedUsage(journal, publisher, { logger }),
  },
];
