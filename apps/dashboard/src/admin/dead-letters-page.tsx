import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import type { DeadLetter } from '@tollgate/contracts/metering';
import { useMemo, useState } from 'react';
import { dropDeadLetter, fetchDeadLetter, fetchDeadLetters, replayDeadLetter } from '../api/admin';
import { byCursor } from '../api/by-cursor';
import { useAction } from '../api/use-action';
import { Button } from '../design/button';
import { Card } from '../design/card';
import { CodeBlock } from '../design/code-block';
import { ConfirmDialog } from '../design/confirm-dialog';
import { DialogActions, Drawer } from '../design/dialog';
import { Facts } from '../design/facts';
import { LoadedPages } from '../design/loaded-pages';
import { Note } from '../design/note';
import { Page } from '../design/page';
import { Empty, Loaded } from '../design/states';
import { Table } from '../design/table';
import type { Column } from '../design/table';
import { formatBytes, formatCount } from '../format/number';
import { formatDateTime, formatInstant } from '../format/time';

export function DeadLettersPage() {
  const [opened, setOpened] = useState<number | null>(null);
  const letters = useInfiniteQuery({
    queryKey: ['admin', 'dead-letters'],
    queryFn: ({ pageParam }) => fetchDeadLetters(pageParam ?? undefined),
    ...byCursor,
    refetchInterval: 10_000,
  });
  const columns = useMemo(() => columnsOf(setOpened), []);
  return (
    <Page
      title="Dead letters"
      hint="Usage that could not be stored. Nothing is lost: look into it, then replay or drop it."
    >
      <Card flush>
        <LoadedPages
          query={letters}
          empty={
            <Empty icon="inbox" title="No dead letters">
              Every usage message was stored.
            </Empty>
          }
        >
          {(rows, more) => (
            <Table
              label="Dead letters"
              columns={columns}
              rows={rows}
              rowId={({ sequence }) => String(sequence)}
              onOpen={({ sequence }) => setOpened(sequence)}
              more={more}
            />
          )}
        </LoadedPages>
      </Card>
      <DeadLetterDrawer sequence={opened} onClose={() => setOpened(null)} onChanged={() => void letters.refetch()} />
    </Page>
  );
}

const columnsOf = (onOpen: (sequence: number) => void): Column<DeadLetter>[] => [
  {
    header: 'Number',
    cell: ({ row: { original } }) => (
      <Button
        size="small"
        tone="quiet"
        aria-label={`Show dead letter ${original.sequence}`}
        onClick={() => onOpen(original.sequence)}
      >
        {formatCount(original.sequence)}
      </Button>
    ),
  },
  { header: 'Since', cell: ({ row }) => formatDateTime(row.original.at) },
  { header: 'Why', cell: ({ row }) => <span className="break">{row.original.reason}</span> },
  { header: 'Size', meta: { end: true }, cell: ({ row }) => formatBytes(row.original.bytes) },
];

/** `sequence` null: closed. */
function DeadLetterDrawer({
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
