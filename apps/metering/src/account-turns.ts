import { Injectable } from '@nestjs/common';
import { ControlError } from '@tollgate/contracts';

/**
 * Connections for operations that an account has at most for what is kept, and for what reads many of its
 * rows; of ten, the others are left to everybody else. Who looks through a year of an account's log does not
 * hold up its requests.
 */
export const mostOfAccount = { kept: 4, reports: 3 };
/** So long edges wait for what is kept, and a little longer for reports: nobody hears an answer behind that. */
const patienceMs = { kept: 2_000, reports: 4_000 };
/** Pieces of work of an account that wait, some of which bring a megabyte. */
const mostWaiting = 200;

/**
 * What an account asks of the database runs a few at a time, and waits beside the connections for the rest:
 * ten requests of one that each take a second, or wait for one row, had all of them, which everybody's
 * quotas and kept responses need.
 */
export class AccountTurns {
  private readonly running = new Map<string, { count: number; waiting: (() => void)[] }>();

  /** `most` pieces of work of an account run at the same time, others wait no longer than `patienceMs`. */
  constructor(
    private readonly most: number,
    private readonly patienceMs: number,
  ) {}

  /**
   * `account` undefined: it is asked for everybody, and waits for nobody.
   * @throws ControlError `unavailable` where its turn does not come, or too many wait; what `work` throws.
   */
  async take<Result>(account: string | undefined, work: () => Promise<Result>): Promise<Result> {
    if (account === undefined) return work();
    const own = this.running.get(account) ?? { count: 0, waiting: [] };
    this.running.set(account, own);
    if (own.count < this.most) own.count += 1;
    else await this.passedOn(own.waiting);
    try {
      return await work();
    } finally {
      // The turn goes on to the next, so that nobody who comes now is before it.
      const next = own.waiting.shift();
      if (next) next();
      else if (--own.count === 0) this.running.delete(account);
    }
  }

  /** A turn that work before it had. */
  private passedOn(waiting: (() => void)[]): Promise<void> {
    if (waiting.length >= mostWaiting) throw tooMuch();
    return new Promise((resolve, reject) => {
      const begin = (): void => {
        clearTimeout(timer);
        resolve();
      };
      const timer = setTimeout(() => {
        waiting.splice(waiting.indexOf(begin), 1);
        reject(tooMuch());
      }, this.patienceMs);
      waiting.push(begin);
    });
  }
}

/** For responses and conversations that are kept. */
@Injectable()
export class KeptTurns extends AccountTurns {
  constructor() {
    super(mostOfAccount.kept, patienceMs.kept);
  }
}

/** For what reads many rows of an account. */
@Injectable()
export class ReportTurns extends AccountTurns {
  constructor() {
    super(mostOfAccount.reports, patienceMs.reports);
  }
}

/** Edges tell callers that a part of the gateway does not answer, and to try again in two seconds. */
function tooMuch(): ControlError {
  return new ControlError('unavailable', 'This account asks for more than is read for it at once: ask again later.');
}
