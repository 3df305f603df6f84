import { ControlError } from '@tollgate/contracts';
import type { importOperations } from '@tollgate/contracts/accounts';
import { setTimeout as delay } from 'node:timers/promises';
import type { z } from 'zod';
import type { Gateway } from '../gateway';
import type { AccountToTake, ImportedAccounts } from './imported-accounts';
import { takeAccounts } from './take-accounts';

type Wish = z.input<typeof importOperations.take.request>;

const accountOf = (index: number, keys: number): AccountToTake => ({
  ...{ reference: `litellm:team:${index}`, name: `Team ${index}`, person: null, plan: 'enterprise', budgets: [] },
  keys: Array.from({ length: keys }, (_, key) => ({
    sha256: `${index}-${key}`,
    display: 'sk-…',
    name: 'key',
    rpm: null,
    quotaTokens: null,
  })),
});
const imported = (accounts: AccountToTake[]): ImportedAccounts => ({ accounts, plans: new Map() });
const who = { source: 'litellm', actor: 'spec' };

/** Takes everything in a moment, but for accounts of these references; tells what it was asked. */
function gatewayOf(refused: readonly string[] = []) {
  const told: Wish[] = [];
  let [running, most] = [0, 0];
  const call = async (_operation: unknown, wish: Wish) => {
    told.push(wish);
    most = Math.max(most, ++running);
    await delay(1);
    running--;
    if (refused.includes(wish.account.reference)) throw new ControlError('invalid', 'There is no such plan.');
    return { accountId: '', made: { accounts: 0, people: 0, keys: wish.account.keys?.length ?? 0, budgets: 0 } };
  };
  return { gateway: { call } as unknown as Gateway, told, most: () => most, running: () => running };
}

describe('taking accounts over', () => {
  it('asks for several at once, and for the keys of one in their order', async () => {
    const { gateway, told, most } = gatewayOf();
    const accounts = Array.from({ length: 30 }, (_, index) => accountOf(index, index === 3 ? 450 : 2));
    expect(await takeAccounts(gateway, imported(accounts), who)).toMatchObject({ keys: 29 * 2 + 450 });
    expect(most()).toBe(8);
    const large = told.filter(({ account }) => account.reference === 'litellm:team:3');
    expect(large.map(({ account }) => account.keys?.[0]?.sha256)).toEqual(['3-0', '3-200', '3-400']);
  });

  it('takes no more once one is refused, and says why when the others are through', async () => {
    const { gateway, told, running } = gatewayOf(['litellm:team:0']);
    const accounts = Array.from({ length: 30 }, (_, index) => accountOf(index, 2));
    await expect(takeAccounts(gateway, imported(accounts), who)).rejects.toThrow('There is no such plan.');
    expect(running()).toBe(0);
    expect(told.length).toBeLessThan(20);
  });

  it('asks for an account without keys and budgets, too', async () => {
    const { gateway, told } = gatewayOf();
    await takeAccounts(gateway, imported([accountOf(1, 0)]), who);
    expect(told).toHaveLength(1);
  });
});
