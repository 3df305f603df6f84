import { lazy, Suspense, useState } from 'react';
import { z } from 'zod/mini';
import { beginSecondFactor, confirmSecondFactor } from '../api/second-factor';
import type { Enrolment } from '../api/second-factor';
import { useAction } from '../api/use-action';
import { Button } from '../design/button';
import { CopyButton } from '../design/copy-button';
import { Dialog, DialogActions } from '../design/dialog';
import { TextField } from '../design/field';
import { Note } from '../design/note';
import { useZodForm } from '../design/use-zod-form';
import { ProofForm } from './proof-form';
import styles from './settings.module.css';
import { ToldCodes } from './told-codes';
import type { Factors } from './use-factors';

/** What draws it is fetched with the first one. */
const EnrolmentCode = lazy(async () => ({ default: (await import('./enrolment-code')).EnrolmentCode }));

/** Sets up a second factor: the password, the secret and a code of it, then the recovery codes. */
export function SecondFactorDialog({ factors, onClose }: { factors: Factors; onClose: () => void }) {
  const [enrolment, setEnrolment] = useState<Enrolment | null>(null);
  const [codes, setCodes] = useState<string[] | null>(null);
  return (
    <Dialog open sticky={codes !== null} onClose={onClose} title="Set up a second factor">
      {codes ? (
        <ToldCodes codes={codes} onClose={onClose} />
      ) : enrolment ? (
        <ConfirmForm enrolment={enrolment} onConfirmed={setCodes} onClose={onClose} />
      ) : (
        <ProofForm
          action="Go on"
          factors={factors}
          onClose={onClose}
          onProof={async (proof) => setEnrolment(await beginSecondFactor(proof))}
        />
      )}
    </Dialog>
  );
}

const codeShape = z.object({ code: z.string().check(z.trim(), z.minLength(6, 'Enter the six digits.')) });

function ConfirmForm({
  enrolment: { secret, uri },
  onConfirmed,
  onClose,
}: {
  enrolment: Enrolment;
  onConfirmed: (codes: string[]) => void;
  onClose: () => void;
}) {
  const form = useZodForm(codeShape, { code: '' });
  const { run, busy, problem } = useAction(async ({ code }: z.infer<typeof codeShape>) =>
    onConfirmed((await confirmSecondFactor(code)).recoveryCodes),
  );
  return (
    <form className={styles.form} noValidate onSubmit={(event) => void form.handleSubmit(run)(event)}>
      <p>
        Scan this with your authenticator, <a href={uri}>open it there</a> on this device, or type the key (a time-based
        one).
      </p>
      <Suspense fallback={<div className={styles.code} />}>
        <EnrolmentCode uri={uri} />
      </Suspense>
      <code className="break">{secret}</code>
      <CopyButton text={secret} label="Copy the key" />
      <TextField
        label="Code"
        hint="The six digits that it shows now. Your other sessions end."
        inputMode="numeric"
        autoComplete="one-time-code"
        error={form.formState.errors.code?.message}
        {...form.register('code')}
      />
      {problem && <Note tone="bad">{problem}</Note>}
      <DialogActions>
        <Button onClick={onClose}>Cancel</Button>
        <Button type="submit" tone="primary" busy={busy}>
          Switch it on
        </Button>
      </DialogActions>
    </form>
  );
}
