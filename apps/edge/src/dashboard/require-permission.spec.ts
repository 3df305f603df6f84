import type { SignedIn } from '@tollgate/contracts/accounts';
import { requirePermission } from './require-permission';

const told = (accountRole: string, status: string): string => {
  const person = { id: 'p1', accountRole };
  const signedIn = { person, account: { id: 'a1', status } } as unknown as SignedIn;
  try {
    requirePermission(signedIn, 'keys:own');
    return 'may';
  } catch (error) {
    return (error as Error).message;
  }
};

it('tells who may not do a thing whom to ask for it', () => {
  expect(told('developer', 'active')).toBe('may');
  expect(told('billing', 'active')).toContain('Your role in this account (billing)');
  for (const status of ['suspended', 'declined'])
    expect(told('billing', status)).toBe(
      `This account is ${status}: its people see keys and sums alone. Ask the administrator of this gateway.`,
    );
});
