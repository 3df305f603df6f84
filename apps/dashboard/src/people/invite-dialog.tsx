import { accountRole } from '@tollgate/contracts/accounts';
import type { AccountRole } from '@tollgate/contracts/accounts';
import { useState } from 'react';
import { z } from 'zod/mini';
import { invite } from '../api/people';
import type { MadeInvitation } from '../api/people';
import { useAction } from '../api/use-action';
import { useOnce } from '../api/use-once';
import { Button } from '../design/button';
import { CopyButton } from '../design/copy-button';
import { Dialog, DialogActions } from '../design/dialog';
import { SelectField, TextField } from '../design/field';
import { FormDialog, sending } from '../design/form-dialog';
import { useStay } from '../design/use-stay';
import { useZodForm } from '../design/use-zod-form';
import { formatDateTime } from '../format/time';
import { email } from '../session/credential-fields';
import { useSession } from '../session/session';
import { RoleField } from './role-field';

const shape = z.object({ email, way: z.string() });

/** Invites somebody; a link that is to be handed over stays until that is said. */
export function InviteDialog({ onClose, onInvited }: { onClose: () => void; onInvited: () => void }) {
  const { me } = useSession();
  const [role, setRole] = useState<AccountRole>('developer');
  const [made, setMade] = useState<MadeInvitation | null>(null);
  const once = useOnce();
  const form = useZodForm(shape, { email: '', way: me.features.mail ? 'mail' : 'link' });
  const action = useAction(async (values: z.infer<typeof shape>) => {
    const told = await invite({ email: values.email, role, way: values.way === 'mail' ? 'mail' : 'link' }, once);
    onInvited();
    if (told.link === null) onClose();
    else setMade(told);
  });
  if (made) return <MadeLink made={made} onClose={onClose} />;
  const { errors } = form.formState;
  return (
    <FormDialog
      title="Invite somebody"
      description="They choose a password and are signed in."
      act="Invite"
      {...sending(form, action)}
      onClose={onClose}
    >
      <TextField
        label="Email"
        type="email"
        autoComplete="off"
        error={errors.email?.message}
        {...form.register('email')}
      />
      <RoleField role={role} onChange={({ target }) => setRole(accountRole.parse(target.value))} />
      <SelectField
        label="How it gets there"
        hint={me.features.mail ? undefined : 'This gateway sends no mail: hand the link over yourself.'}
        {...form.register('way')}
      >
        {me.features.mail && <option value="mail">By mail</option>}
        <option value="link">By a link that I hand over</option>
      </SelectField>
    </FormDialog>
  );
}

function MadeLink({ made: { invitation, link }, onClose }: { made: MadeInvitation; onClose: () => void }) {
  useStay();
  return (
    <Dialog open sticky onClose={onClose} title={`The link for ${invitation.email}`}>
      <p className="muted small">
        Shown this once. It works once, until {formatDateTime(invitation.expiresAt)}; whoever has it can join.
      </p>
      <code className="break">{link}</code>
      {link !== null && <CopyButton text={link} label="Copy the link" />}
      <DialogActions>
        <Button tone="primary" onClick={onClose}>
          I have copied it
        </Button>
      </DialogActions>
    </Dialog>
  );
}
