import { Inject, Injectable, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import type { Logger } from '@tollgate/observability';
import { LOGGER } from '@tollgate/service';
import { AccountsSettings } from './settings';
import { Storage } from './storage';

const everyMs = 600_000;
/** Throttles forget after a day; mails are of no use after a month. */
const dayMs = 86_400_000;
const mailsKeptMs = 30 * dayMs;

/** Removes what nobody asks for any more: sessions, links and sign-ins that are over, tries that are forgotten, old mails. Nothing depends on when it runs. */
@Injectable()
export class ExpiredRows implements OnApplicationBootstrap, OnModuleDestroy {
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly storage: Storage,
    private readonly settings: AccountsSettings,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  onApplicationBootstrap(): void {
    this.timer = setInterval(() => void this.removeQuietly(), everyMs);
  }

  onModuleDestroy(): void {
    clearInterval(this.timer);
  }

  /** @throws ControlError `unavailable`. */
  async remove(nowMs = Date.now()): Promise<void> {
    const before = (agoMs: number) => ({ lt: new Date(nowMs - agoMs) });
    await this.storage.read(async (queries) => {
      await queries.session.deleteMany({
        where: { OR: [{ expiresAt: before(0) }, { lastSeenAt: before(this.settings.people.sessionIdleMs) }] },
      });
      await queries.oneTimeToken.deleteMany({ where: { expiresAt: before(0) } });
      await queries.oidcAttempt.deleteMany({ where: { expiresAt: before(0) } });
      await queries.throttle.deleteMany({ where: { lastTryAt: before(dayMs), blockedUntil: before(0) } });
      await queries.mail.deleteMany({ where: { createdAt: before(mailsKeptMs) } });
    });
  }

  private async removeQuietly(): Promise<void> {
    await this.remove().catch((error: unknown) =>
      this.logger.warn({ err: error }, 'what has expired could not be removed; trying again later'),
    );
  }
}
