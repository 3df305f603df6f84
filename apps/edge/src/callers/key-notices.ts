import { accountsHeartbeat, accountsSubjects, keyChanged } from '@tollgate/contracts';
import { subscribeJson } from '@tollgate/messaging';
import type { Logger } from '@tollgate/observability';
import type { NatsConnection } from 'nats';
import { KeyDirectory } from './key-directory';

/** Feeds the key directory with what accounts tells. */
export function subscribeToKeys(connection: NatsConnection, directory: KeyDirectory, logger: Logger): void {
  subscribeJson(connection, accountsSubjects.keyChanged, keyChanged, (notice) => directory.change(notice), logger);
  subscribeJson(
    connection,
    accountsSubjects.heartbeat,
    accountsHeartbeat,
    ({ revision }) => directory.heartbeat(revision),
    logger,
  );
}
