import { Injectable } from '@nestjs/common';
import { ControlError } from '@tollgate/contracts';

/**
 * Connections for operations that an account has at most; of ten, the others are left to everybody else. Who
 * looks through a year of an account's log does not hold up its requests.
 */
export const mostOfAccount = { kept: 4, reports: 3 };
/** Edges wait no longer for what is kept; nobody hears the answer then. */
const patienceMs = 2_000;

interface Bounds {
  /** Pieces of work of an account that run at the same time. */
  most: number;
  /** Work that has waited longer is not begun. */
  patienceMs?: number;
  now?: () => number;
}

/**
 * What an account asks of the database runs a few at a time, and waits beside the connections for the rest:
 * ten requests of one that each take a second, or wait for one row, had all of them, which everybody's
 * quotas and kept responses need.
 */
export class AccountTurns {
  private readonly running = new Map<string, { count: number; waiting: (() => void)[] }>();
  private readonly most: number;
  private readonly patienceMs: number;
  private readonly now: () => number;

  constructor(bounds: Bounds) {
    this.most = bounds.most;
    this.patienceMs = bounds.patienceMs ?? patienceMs;
    this.now = bounds.now ?? (() => performance.now());
  }

  /** How many have work that runs. */
  get accounts(): number {
    return this.running.size;
  }

  /**
   * `account` undefined: it is asked for everybody, and waits for nobody.
   * @throws ControlError `unavailable` where its turn came too late; what `work` throws.
   */
  async take<Result>(account: string | undefined, work: () => Promise<Result>): Promise<Result> {
    if (account === undefined) return work();
    const own = this.running.get(account) ?? { count: 0, waiting: [] };
    this.running.set(account, own);
    const cameAtMs = this.now();
    if (own.count < this.most) own.count += 1;
    else await new Promise<void>((resolve) => own.waiting.push(resolve));
    try {
      if (this.now() - cameAtMs > this.patienceMs) throw tooLate();
      return await work();
    } finally {
      // The turn goes on to the next, so that nobody who comes now is before it.
      const next = own.waiting.shift();
      if (next) next();
      else if (--own.count === 0) this.running.delete(account);
    }
  }
}

/** For responses and conversations that are kept. */
@Injectable()
export class KeptTurns extends AccountTurns {
  constructor() {
    super({ most: mostOfAccount.kept });
  }
}

/** For what reads many rows of an account. */
@Injectable()
export class ReportTurns extends AccountTurns {
  constructor() {
    super({ most: mostOfAccount.reports });
  }
}

function tooLate(): ControlError {
  return new ControlError('unavailable', 'This account asks for more than is read for it at once: ask again later.');
}
