import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { dropDeadLetter, fetchDeadLetter, replayDeadLetter } from '../api/admin';
import { useAction } from '../api/use-action';
import { Button } from '../design/button';
import { CodeBlock } from '../design/code-block';
import { ConfirmDialog } from '../design/confirm-dialog';
import { Drawer, DialogActions } from '../design/dialog';
import { Facts } from '../design/facts';
import { Note } from '../design/note';
import { Loaded } from '../design/states';
import { formatBytes, formatCount } from '../format/number';
import { formatInstant } from '../format/time';

/** `sequence` null: closed. */
export function DeadLetterDrawer({
  sequence,
  onClose,
  onChanged,
}: {
  sequence: number | null;
  onClose: () => void;
  onChanged: () => void;
}) {
  return (
    <Drawer open={sequence !== null} onClose={onClose} title={`Dead letter ${sequence ?? ''}`}>
      {sequence !== null && <Letter key={sequence} sequence={sequence} onClose={onClose} onChanged={onChanged} />}
    </Drawer>
  );
}

function Letter({ sequence, onClose, onChanged }: { sequence: number; onClose: () => void; onChanged: () => void }) {
  const [dropping, setDropping] = useState(false);
  const [outcome, setOutcome] = useState<Awaited<ReturnType<typeof replayDeadLetter>> | null>(null);
  const letter = useQuery({
    queryKey: ['admin', 'dead-letter', sequence],
    queryFn: () => fetchDeadLetter(sequence),
    enabled: !outcome?.removed,
  });
  const replay = useAction(async () => {
    setOutcome(await replayDeadLetter(sequence));
    onChanged();
  });
  return (
    <Loaded query={letter}>
      {({ at, reason, bytes, body }) => (
        <>
          <Facts
            facts={[
              ['Since', formatInstant(at)],
              ['Why', reason],
              ['Size', formatBytes(bytes)],
            ]}
          />
          <CodeBlock code={body} name="body of the letter" tall />
          {replay.problem && <Note tone="bad">{replay.problem}</Note>}
          {outcome && (
            <Note
              tone={outcome.removed ? 'good' : 'warn'}
              title={outcome.removed ? 'Stored and removed' : 'The letter stays'}
            >
              {formatCount(outcome.stored)} events stored, {formatCount(outcome.alreadyStored)} were there already.{' '}
              {outcome.problems.join(' ')}
            </Note>
          )}
          {!outcome?.removed && (
            <DialogActions>
              <Button icon="trash" onClick={() => setDropping(true)}>
                Drop it
              </Button>
              <Button tone="primary" icon="refresh" busy={replay.busy} onClick={() => void replay.run()}>
                Replay it
              </Button>
            </DialogActions>
          )}
          <ConfirmDialog
            open={dropping}
            onClose={() => setDropping(false)}
            title="Drop this letter?"
            action="Drop it for good"
            onConfirm={async () => {
              await dropDeadLetter(sequence);
              onChanged();
              onClose();
            }}
          >
            Its usage is never counted. This cannot be undone.
          </ConfirmDialog>
        </>
      )}
    </Loaded>
  );
}
