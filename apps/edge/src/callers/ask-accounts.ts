import { ControlError } from '@tollgate/contracts';
import { accountsOperations } from '@tollgate/contracts/accounts';
import type { ControlClient } from '@tollgate/messaging';
import type { Logger } from '@tollgate/observability';
import type { Clock } from '../clock';
import { NatsLostError } from '../connected-control-client';
import type { KeyResolver } from './key-directory';

/** How soon accounts is asked again whose database is away, milliseconds. */
const againMs = 200;

/**
 * Asks accounts for keys. Where its database is away for a moment (it was replaced, or its name is not
 * found), accounts says so at once and knows no better in the next moment: it is asked again for as long as
 * it might itself be absent, but not where NATS is. Logs the first failure of a row.
 */
export function askAccounts(
  control: Pick<ControlClient, 'call'>,
  clock: Pick<Clock, 'monotonicMs' | 'sleep'>,
  logger: Pick<Logger, 'warn'>,
): KeyResolver {
  let isAway = false;
  return async (digest, formerDigests, { timeoutMs = 0, absentMs = timeoutMs }) => {
    const askedAtMs = clock.monotonicMs();
    for (;;) {
      const agoMs = clock.monotonicMs() - askedAtMs;
      try {
        const key = await control.call(
          accountsOperations.resolveKey,
          { digest, formerDigests: [...formerDigests] },
          { timeoutMs: timeoutMs - agoMs, absentMs: Math.max(0, absentMs - agoMs) },
        );
        isAway = false;
        return key;
      } catch (error) {
        const isUnavailable = error instanceof ControlError && error.code === 'unavailable';
        const isLost = error instanceof NatsLostError;
        const failedMs = clock.monotonicMs() - askedAtMs;
        // The next answer may take as long as this one.
        const nextMs = failedMs + againMs + (failedMs - agoMs);
        if (!isUnavailable || isLost || nextMs >= absentMs) {
          if (!isAway) logger.warn({ err: error }, 'accounts cannot be asked for a key');
          isAway = true;
          throw error;
        }
        await clock.sleep(againMs);
      }
    }
  };
}
