import type { Logger } from '@tollgate/observability';
import { ErrorCode, Events } from 'nats';
import type { NatsConnection } from 'nats';

const violation: string = ErrorCode.PermissionsViolation;

/**
 * Logs what the server does not permit: a message that nobody gets, or a subscription that hears nothing. Its
 * configuration may be older than this program.
 */
export async function logRefusals(connection: NatsConnection, logger: Logger): Promise<void> {
  for await (const status of connection.status())
    if (status.type === Events.Error && status.data === violation)
      logger.error({ refused: status.permissionContext }, 'NATS does not permit this; see docs/operate.md');
}
