import type { AccountRole } from '@tollgate/contracts/accounts';
import { mayReset } from './may-reset';

const person = (given: object = {}) => ({
  ...{ id: 'other', accountRole: 'developer' as AccountRole, role: 'user' as const, hasSecondFactor: true },
  ...given,
});
const user = (accountRole: AccountRole) => ({ id: 'me', accountRole });

it.each([
  ['of a developer, to an administrator', 'administrator', person(), true],
  ['of an owner, to an administrator', 'administrator', person({ accountRole: 'owner' }), false],
  ['of an owner, to another', 'owner', person({ accountRole: 'owner' }), true],
  ['of their own, to nobody', 'owner', person({ id: 'me' }), false],
  ['of an administrator of the gateway, to no owner', 'owner', person({ role: 'administrator' }), false],
  ['of who has none, to nobody', 'owner', person({ hasSecondFactor: false }), false],
  ['of whom it is not told, to nobody', 'owner', person({ hasSecondFactor: undefined }), false],
] as const)('the reset of a second factor is offered: %s', (_what, role, whose, isOffered) =>
  expect(mayReset(user(role), whose)).toBe(isOffered),
);
