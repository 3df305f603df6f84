import { randomBytes } from 'node:crypto';
import { tokenDigest } from '../people/secret-token';
import type { AccountsQueries } from '../storage';
import { toBase32 } from './totp';

const howMany = 10;
/** 80 bits, 16 letters and digits: more than can be tried, also by who has the digest. */
const codeBytes = 10;

type CodeQueries = Pick<AccountsQueries, 'recoveryCode'>;

/** New codes in the place of all that a person has; they are told here only, in groups of four. */
export async function replaceRecoveryCodes({ recoveryCode }: CodeQueries, personId: string): Promise<string[]> {
  const codes = await Promise.all(Array.from({ length: howMany }, () => toBase32(randomBytes(codeBytes))));
  await recoveryCode.deleteMany({ where: { personId } });
  await recoveryCode.createMany({ data: codes.map((code) => ({ personId, digest: digestOf(personId, code) })) });
  return codes.map((code) => code.match(/.{4}/g)?.join('-') ?? code);
}

/** Uses a code up, which is told without what sets its parts apart; false: it is none, or was used. */
export async function takeRecoveryCode(
  { recoveryCode }: CodeQueries,
  personId: string,
  code: string,
): Promise<boolean> {
  const digest = digestOf(personId, code.toUpperCase());
  const { count } = await recoveryCode.deleteMany({ where: { personId, digest } });
  return count > 0;
}

function digestOf(personId: string, code: string): string {
  return tokenDigest(`${personId} ${code}`);
}
