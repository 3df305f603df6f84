import { Injectable } from '@nestjs/common';
import { ControlError } from '@tollgate/contracts';
import type { AccountsQueries } from '../storage/storage';
import { newSecretToken, tokenDigest } from './secret-token';

type Purpose = 'verify' | 'reset';
type TokenQueries = Pick<AccountsQueries, 'oneTimeToken'>;

const validForMs: Record<Purpose, number> = { verify: 48 * 3_600_000, reset: 3_600_000 };

/** Links that work once. */
@Injectable()
export class OneTimeTokens {
  /** Makes a token; earlier ones for the same purpose stop working. */
  async issue(queries: TokenQueries, personId: string, purpose: Purpose): Promise<string> {
    const token = newSecretToken();
    const expiresAt = new Date(Date.now() + validForMs[purpose]);
    await queries.oneTimeToken.deleteMany({ where: { personId, purpose } });
    await queries.oneTimeToken.create({ data: { digest: tokenDigest(token), personId, purpose, expiresAt } });
    return token;
  }

  /** Uses a token up; returns whose it was. @throws ControlError `invalid` when it is wrong, used or too old. */
  async consume(queries: TokenQueries, token: string, purpose: Purpose): Promise<string> {
    const where = { digest: tokenDigest(token), purpose, expiresAt: { gt: new Date() } };
    const found = await queries.oneTimeToken.findFirst({ where });
    // Of two that come at the same time, one deletes it.
    const used = await queries.oneTimeToken.deleteMany({ where });
    if (!found || used.count === 0)
      throw new ControlError('invalid', 'This link does not work any more: ask for a new one.');
    return found.personId;
  }
}
