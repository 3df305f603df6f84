import type { GenerationRequest } from '@tollgate/contracts/inference';

const secondMs = 1_000;
const seconds = 10;

/** Who sends a request: an API key, and the account that it belongs to. */
export interface Caller {
  readonly key: string;
  readonly account: string;
}

/** Whom a trouble concerns: everybody, all keys of one account, or one key. */
export type Scope = 'all' | 'account' | 'key';

/** When failures concern more than the caller who has them. */
interface Rule {
  readonly minFailures: number;
  readonly share: number;
  readonly heedsWell: boolean;
}

/** Who is served well just now: of so many attempts at the least, less than this share failed. */
const minAttempts = 3;
const hardly = 0.2;
/** So many may fail for each who is served well before it concerns that one: they may belong together. */
const mostBesideWell = 3;

interface Tally {
  attempts: number;
  failures: number;
}

interface KeyTally extends Tally {
  readonly account: string;
}

/** Who sent a generation. */
export function callerOf({ keyId, accountId }: Pick<GenerationRequest, 'keyId' | 'accountId'>): Caller {
  return { key: keyId, account: accountId };
}

/**
 * Attempts of the last ten seconds, and how many of them failed, by key. Each account has one vote, however
 * much it sends and with however many keys; within an account each key has one: what is wrong with one
 * caller's requests must not be taken for what is wrong with the place where they go. Times are milliseconds
 * of a clock that never goes back.
 */
export class CallerWindow {
  private readonly totals = new Map<string, KeyTally>();
  /** The oldest first. */
  private readonly bySecond: { second: number; tallies: Map<string, KeyTally> }[] = [];

  record(caller: Caller, failed: boolean, now: number): void {
    this.turn(now);
    const second = Math.floor(now / secondMs);
    let newest = this.bySecond.at(-1);
    if (newest?.second !== second) this.bySecond.push((newest = { second, tallies: new Map() }));
    for (const tallies of [newest.tallies, this.totals]) {
      const tally = tallyOf(tallies, caller);
      tally.attempts += 1;
      if (failed) tally.failures += 1;
    }
  }

  /** Takes back the caller's newest failure, which turned out to say nothing. */
  forgive({ key }: Caller): void {
    const tallies = this.bySecond.findLast((one) => (one.tallies.get(key)?.failures ?? 0) > 0)?.tallies;
    for (const tally of [tallies?.get(key), tallies && this.totals.get(key)]) {
      if (!tally) continue;
      tally.attempts -= 1;
      tally.failures -= 1;
    }
    if (this.totals.get(key)?.attempts === 0) this.totals.delete(key);
  }

  /** Forgets what was seen of one caller. */
  forget({ key }: Caller): void {
    this.totals.delete(key);
    for (const { tallies } of this.bySecond) tallies.delete(key);
  }

  /** Whether anybody was answered. */
  anyAnswered(now: number): boolean {
    this.turn(now);
    for (const { attempts, failures } of this.totals.values()) if (attempts > failures) return true;
    return false;
  }

  /**
   * Whom this caller's failures concern, where there are at least `minFailures` and, at the mean of those who
   * have a vote, they are `share` of the attempts. What concerns one voter only does not concern the others;
   * nor, where `heedsWell`, what concerns a few while others are served well. Null: nobody.
   */
  concerns(caller: Caller, rule: Rule, now: number): Scope | null {
    this.turn(now);
    const accounts = new Map<string, Tally>();
    const keys: Tally[] = [];
    for (const tally of this.totals.values()) {
      const sum = accounts.get(tally.account) ?? { attempts: 0, failures: 0 };
      sum.attempts += tally.attempts;
      sum.failures += tally.failures;
      accounts.set(tally.account, sum);
      if (tally.account === caller.account) keys.push(tally);
    }
    if (severalFail([...accounts.values()], rule)) return 'all';
    if (severalFail(keys, rule)) return 'account';
    const own = this.totals.get(caller.key);
    return own && fails(own, rule.share) && own.failures >= rule.minFailures ? 'key' : null;
  }

  /** Whether no other account was there. */
  isAlone({ account }: Caller, now: number): boolean {
    this.turn(now);
    for (const tally of this.totals.values()) if (tally.account !== account) return false;
    return true;
  }

  clear(): void {
    this.totals.clear();
    this.bySecond.length = 0;
  }

  private turn(now: number): void {
    const oldest = Math.floor(now / secondMs) - seconds;
    for (let first = this.bySecond[0]; first && first.second <= oldest; first = this.bySecond[0]) {
      this.bySecond.shift();
      for (const [key, { attempts, failures }] of first.tallies) {
        const total = this.totals.get(key);
        if (!total) continue;
        total.attempts -= attempts;
        total.failures -= failures;
        if (total.attempts <= 0) this.totals.delete(key);
      }
    }
  }
}

function tallyOf(tallies: Map<string, KeyTally>, { key, account }: Caller): KeyTally {
  let tally = tallies.get(key);
  if (!tally) tallies.set(key, (tally = { account, attempts: 0, failures: 0 }));
  return tally;
}

function fails({ attempts, failures }: Tally, share: number): boolean {
  return failures > 0 && failures >= attempts * share;
}

function isServedWell({ attempts, failures }: Tally): boolean {
  return attempts >= minAttempts && failures < attempts * hardly;
}

function severalFail(voters: readonly Tally[], { minFailures, share, heedsWell }: Rule): boolean {
  let failures = 0;
  let shares = 0;
  for (const voter of voters) {
    failures += voter.failures;
    shares += voter.failures / voter.attempts;
  }
  const failing = voters.filter((voter) => fails(voter, share));
  if (failing.length <= 1 || failures < minFailures || shares < voters.length * share) return false;
  return !heedsWell || failing.length > mostBesideWell * voters.filter(isServedWell).length;
}
