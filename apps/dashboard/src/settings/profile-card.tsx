import { isStopped } from '@tollgate/contracts/accounts';
import { useState } from 'react';
import { z } from 'zod/mini';
import { changeName, type OwnAccount, type User } from '../api/auth';
import { useAction } from '../api/use-action';
import { Badge } from '../design/badge';
import { Card } from '../design/card';
import { Facts } from '../design/facts';
import { TextField } from '../design/field';
import { Note } from '../design/note';
import { useZodForm } from '../design/use-zod-form';
import { roleTexts } from '../people/role-field';
import { personName } from '../session/credential-fields';
import { useRefetchMe, useSession } from '../session/session';
import { SaveRow } from './save-row';
import styles from './settings.module.css';

const shape = z.object({ name: personName });

export function ProfileCard() {
  const { user, account, me } = useSession();
  const refetchMe = useRefetchMe();
  const [saved, setSaved] = useState(false);
  const form = useZodForm(shape, { name: user.name });
  const { run, busy, problem } = useAction(async ({ name }: z.infer<typeof shape>) => {
    setSaved(false);
    await changeName(name);
    await refetchMe();
    setSaved(true);
  });
  return (
    <Card title="Profile">
      <Facts
        facts={[
          [
            'Email',
            <span key="email">
              {user.email}{' '}
              {me.features.mail && (
                <Badge tone={user.emailVerified ? 'good' : 'plain'}>
                  {user.emailVerified ? 'verified' : 'not verified'}
                </Badge>
              )}
            </span>,
          ],
          ['Role', user.role === 'administrator' ? 'Administrator of the gateway' : accountRoleText(user, account)],
          ['Plan', account?.plan ?? null],
        ]}
      />
      <form className={styles.form} noValidate onSubmit={(event) => void form.handleSubmit(run)(event)}>
        <TextField
          label="Name"
          autoComplete="name"
          error={form.formState.errors.name?.message}
          {...form.register('name')}
        />
        {problem && <Note tone="bad">{problem}</Note>}
        <SaveRow busy={busy} saved={saved && 'Saved.'}>
          Save the name
        </SaveRow>
      </form>
    </Card>
  );
}

/** People of an account that was stopped have this role as long as that lasts. */
function accountRoleText(
  { accountRole }: Pick<User, 'accountRole'>,
  account: Pick<OwnAccount, 'status'> | null,
): string {
  const { name } = roleTexts[accountRole];
  const status = account?.status;
  return status && isStopped(status) ? `${name}, while your account is ${status}` : name;
}
