import { accountRole } from '@tollgate/contracts';
import type { AccountRole } from '@tollgate/contracts';
import type { ComponentProps } from 'react';
import { SelectField } from '../design/field';
import { useSession } from '../session/session';
import { roleTexts } from './role-texts';

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
