import { accountRole } from '@tollgate/contracts/accounts';
import type { AccountRole } from '@tollgate/contracts/accounts';
import type { ComponentProps } from 'react';
import { SelectField } from '../design/field';
import { useSession } from '../session/session';

/** What each role may, in a line, in the order in which it is chosen from. */
export const roleTexts: Record<AccountRole, { name: string; may: string }> = {
  developer: { name: 'Developer', may: 'makes keys of their own, uses the playground, sees usage and logged texts' },
  viewer: { name: 'Viewer', may: 'sees keys, usage and single requests, without texts' },
  billing: { name: 'Billing', may: 'sees what was spent, and is written to about budgets' },
  administrator: { name: 'Administrator', may: 'does everything but change owners' },
  owner: { name: 'Owner', may: 'does everything in the account' },
};

const order = Object.keys(roleTexts).flatMap((name) => accountRole.options.filter((role) => role === name));

/** The roles that whoever looks may give, and what each of them may. Only owners make owners. */
export function RoleField({ role, ...field }: { role: AccountRole } & ComponentProps<'select'>) {
  const { user } = useSession();
  const given = order.filter((one) => one !== 'owner' || user.accountRole === 'owner');
  return (
    <SelectField label="Role" hint={`${roleTexts[role].name}: ${roleTexts[role].may}.`} value={role} {...field}>
      {given.map((one) => (
        <option key={one} value={one}>
          {roleTexts[one].name}
        </option>
      ))}
    </SelectField>
  );
}
