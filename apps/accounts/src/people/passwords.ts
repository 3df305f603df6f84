import { hash, verify } from '@node-rs/argon2';
import { Injectable } from '@nestjs/common';
import { ControlError } from '@tollgate/contracts';

/**
 * https://cheatsheetseries.owasp.org/cheatsheets/Password_Storage_Cheat_Sheet.html#argon2id: 19 MiB, two
 * passes. Argon2id is the package's default.
 */
const cost = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };

/**
 * Hashes that wait or run; more are refused, so that a flood of guesses costs bounded time and memory, and
 * lookups of keys go on.
 */
const mostPending = 64;

/** Keeps passwords as Argon2id, which runs off the main thread. */
@Injectable()
export class Passwords {
  private decoy: Promise<string> | undefined;
  private pending = 0;

  /**
   * @throws ControlError `invalid` for a password that is the address itself; `unavailable` when too many
   * wait.
   */
  hash(password: string, email: string): Promise<string> {
    if (password.trim().toLowerCase() === email.trim().toLowerCase())
      throw new ControlError('invalid', 'password: must not be your e-mail address.');
    return this.bounded(() => hash(password, cost));
  }

  /**
   * Whether the password is the one of `stored`. Null, nobody or no password, takes as long as a wrong one.
   * @throws ControlError `unavailable` when too many wait.
   */
  matches(password: string, stored: string | null): Promise<boolean> {
    return this.bounded(async () => {
      this.decoy ??= hash('nobody has this password', cost);
      const isRight = await verify(stored ?? (await this.decoy), password);
      return stored !== null && isRight;
    });
  }

  private async bounded<Result>(work: () => Promise<Result>): Promise<Result> {
    if (this.pending >= mostPending) throw new ControlError('unavailable', 'Too many people sign in at the moment.');
    this.pending++;
    try {
      return await work();
    } finally {
      this.pending--;
    }
  }
}
