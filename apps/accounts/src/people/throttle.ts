import { isIPv6 } from 'node:net';
import { Injectable } from '@nestjs/common';
import { AccountsMetrics } from '../accounts-metrics';
import { Storage } from '../storage';

/** The longest wait, seconds, and after how long without a try everything is forgotten. */
const longestS = 900;
const forgottenAfterS = 86_400;

/**
 * What is counted: the tries of one kind for one address of either sort. What is typed in must not make the
 * `subject` of a network. `free` tries cost nothing; each one after doubles the wait, from one second on.
 */
export interface Counted {
  subject: string;
  free: number;
}

/** Slows down who guesses. Kept in the database: it holds for all instances and across restarts. */
@Injectable()
export class Throttle {
  constructor(
    private readonly storage: Storage,
    private readonly metrics: AccountsMetrics,
  ) {}

  /**
   * Counts a try, before it is known how it ends, so that tries at the same time count too. Null: go ahead;
   * else the seconds to wait, and nothing was counted: whoever may not try for an address guesses nothing,
   * and does not hold up their network by trying again.
   * @throws ControlError `unavailable`.
   */
  async take(...all: readonly Counted[]): Promise<number | null> {
    for (const [index, counted] of all.entries()) {
      const waitS = await this.takeOne(counted);
      if (waitS === null) continue;
      for (const before of all.slice(0, index)) await this.giveBack(before);
      this.metrics.throttledOne();
      return waitS;
    }
    return null;
  }

  /** Forgets all tries for `subject`. */
  async forgive(subject: string): Promise<void> {
    await this.storage.read((queries) => queries.throttle.deleteMany({ where: { subject } }));
  }

  /** The try was an honest one: it does not count. A wait that others earned stays. */
  async giveBack({ subject, free }: Counted): Promise<void> {
    await this.storage.read(
      (queries) => queries.$executeRaw`
        UPDATE throttle SET
          tries = tries - 1,
          blocked_until = CASE WHEN tries - 1 < ${free} THEN 'epoch'::timestamptz ELSE blocked_until END
        WHERE subject = ${subject} AND tries > 0`,
    );
  }

  private takeOne({ subject, free }: Counted): Promise<number | null> {
    return this.storage.read(async (queries) => {
      const counted = await queries.$queryRaw<unknown[]>`
        INSERT INTO throttle (subject, tries, last_try_at, blocked_until) VALUES (${subject}, 1, now(), 'epoch')
        ON CONFLICT (subject) DO UPDATE SET
          last_try_at = now(),
          tries = CASE WHEN throttle.last_try_at < now() - ${forgottenAfterS} * interval '1 second' THEN 1 ELSE throttle.tries + 1 END,
          blocked_until = CASE
            WHEN throttle.last_try_at < now() - ${forgottenAfterS} * interval '1 second' OR throttle.tries + 1 < ${free} THEN 'epoch'::timestamptz
            ELSE now() + LEAST(${longestS}, power(2, LEAST(throttle.tries + 1 - ${free}, 20))) * interval '1 second'
          END
        WHERE throttle.blocked_until <= now()
        RETURNING tries`;
      if (counted.length > 0) return null;
      const row = await queries.throttle.findUnique({ where: { subject } });
      return Math.max(1, Math.ceil(((row?.blockedUntil.getTime() ?? 0) - Date.now()) / 1_000));
    });
  }
}

/**
 * Who an address counts as: an IPv4 address by itself, an IPv6 address by its /64, which one household holds.
 */
export function networkOf(address: string): string {
  const [, mapped] = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address) ?? [];
  if (mapped !== undefined) return mapped;
  if (!isIPv6(address)) return address;
  const [head = '', tail = ''] = address.toLowerCase().split('::');
  const groups = head === '' ? [] : head.split(':');
  const after = tail === '' ? [] : tail.split(':');
  const zeros = Array.from({ length: Math.max(0, 8 - groups.length - after.length) }, () => '0');
  return `${[...groups, ...zeros, ...after].slice(0, 4).join(':')}::/64`;
}
