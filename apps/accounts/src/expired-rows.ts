import { Injectable } from '@nestjs/common';
import { PeriodicWork } from '@tollgate/service';
import { AccountsSettings } from './settings';
import { ofRolling } from './budgets/told-thresholds';
import { Storage } from './storage';
import { deedsKeptMs } from './tokens/deeds.controller';

const everyMs = 600_000;
/** Throttles forget after a day; mails are of no use after a month. */
const dayMs = 86_400_000;
const mailsKeptMs = 30 * dayMs;
/** Longer than any window of a budget that begins anew. */
const noticesKeptMs = 40 * dayMs;

/**
 * Removes what nobody asks for any more: sessions, links, invitations and sign-ins that are over, tries that
 * are forgotten, old mails, what was done under idempotency keys, alerts that may be told again, notices of
 * the end of models that have ended, and of budgets in windows that are over. Nothing depends on when it
 * runs.
 */
@Injectable()
export class ExpiredRows {
  constructor(
    private readonly storage: Storage,
    private readonly settings: AccountsSettings,
    work: PeriodicWork,
  ) {
    const failure = 'what has expired could not be removed; trying again later';
    work.add({ name: 'expired rows', everyMs, run: () => this.remove(), failure });
  }

  /** @throws ControlError `unavailable`. */
  async remove(nowMs = Date.now()): Promise<void> {
    const before = (agoMs: number) => ({ lt: new Date(nowMs - agoMs) });
    await this.storage.read(async (queries) => {
      await queries.session.deleteMany({
        where: { OR: [{ expiresAt: before(0) }, { lastSeenAt: before(this.settings.people.sessionIdleMs) }] },
      });
      await queries.oneTimeToken.deleteMany({ where: { expiresAt: before(0) } });
      await queries.invitation.deleteMany({ where: { expiresAt: before(0) } });
      await queries.secondFactorAttempt.deleteMany({ where: { expiresAt: before(0) } });
      await queries.passkeyChallenge.deleteMany({ where: { expiresAt: before(0) } });
      await queries.oidcAttempt.deleteMany({ where: { expiresAt: before(0) } });
      await queries.throttle.deleteMany({ where: { lastTryAt: before(dayMs), blockedUntil: before(0) } });
      await queries.mail.deleteMany({ where: { createdAt: before(mailsKeptMs) } });
      await queries.webhookDelivery.deleteMany({ where: { createdAt: before(mailsKeptMs) } });
      await queries.toldAlert.deleteMany({ where: { forgetAt: before(0) } });
      await queries.adminDeed.deleteMany({ where: { doneAt: before(deedsKeptMs) } });
      await queries.retirementNotice.deleteMany({ where: { endsOn: before(0) } });
      const beginsAnew = { window: { not: 'total' } };
      // Of one that rolls it is told for as long as it is not below.
      const isOver = [{ fellBelow: true }, { windowStart: { not: ofRolling } }];
      const where = { toldAt: before(noticesKeptMs), budget: beginsAnew, OR: isOver };
      await queries.budgetNotice.deleteMany({ where });
    });
  }
}
