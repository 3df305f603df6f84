import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Link } from 'react-router';
import { fetchGuardrails, fetchSetGuardrails } from '../api/guardrails';
import type { GuardrailWindow } from '../api/guardrails';
import { useSearch } from '../app/use-search';
import { Badge } from '../design/badge';
import { Card } from '../design/card';
import { Choice } from '../design/choice';
import { Note } from '../design/note';
import { Page } from '../design/page';
import { Empty, Loaded } from '../design/states';
import { Table } from '../design/table';
import type { Column } from '../design/table';
import { formatCount } from '../format/number';
import { formatDateTime } from '../format/time';
import styles from './admin.module.css';
import type { DraftFields } from './guardrail-draft';
import { guardrailRows, rowId } from './guardrail-rows';
import type { GuardrailRow } from './guardrail-rows';
import { SetGuardrails } from './set-guardrails';
import { TryGuardrails } from './try-guardrails';

const windows: readonly (readonly [GuardrailWindow, string])[] = [
  ['day', 'Last day'],
  ['week', 'Last week'],
  ['month', 'Last month'],
];

/** The guardrails in force, how often they find something, and a box to try them. */
export function GuardrailsPage() {
  const [search, change] = useSearch();
  const window = windows.find(([name]) => name === search.get('window'))?.[0] ?? 'week';
  const guardrails = useQuery({
    queryKey: ['admin', 'guardrails', window],
    queryFn: () => fetchGuardrails(window),
    refetchInterval: 60_000,
  });
  const set = useQuery({ queryKey: ['admin', 'guardrails that are set'], queryFn: fetchSetGuardrails });
  const [draft, setDraft] = useState<DraftFields | null>(null);
  const isThere = (id: string) => set.data?.guardrails.some((each) => each.id === id) ?? false;
  return (
    <Page
      title="Guardrails"
      hint={
        <>
          What is looked for in requests and answers, and what is done about it. They are set below, under{' '}
          <Link to="/admin/config">Gateway settings</Link>, or in tollgate.yaml.
        </>
      }
      actions={
        <Choice
          label="Findings of"
          options={windows}
          value={window}
          onChange={(next) => change({ window: next === 'week' ? null : next })}
        />
      }
    >
      <Card title="In force" hint="In how many requests and answers each did what it does, counted by the hour." flush>
        <Loaded query={guardrails} lines={4}>
          {({ data, counts }) => (
            <>
              {counts === null && <Note tone="warn" title="How often they find something is not to be had now" />}
              {data.length === 0 && counts?.length === 0 ? (
                <Empty icon="shield" title="No guardrail is set">
                  Begin with one that only flags, and look here how often it finds something.
                </Empty>
              ) : (
                <Table label="Guardrails" columns={columns} rows={guardrailRows(data, counts)} rowId={rowId} />
              )}
            </>
          )}
        </Loaded>
      </Card>
      <SetGuardrails told={set.data?.guardrails ?? []} onChange={setDraft} />
      <TryGuardrails draft={draft} onDraft={setDraft} isThere={isThere} />
    </Page>
  );
}

const tones = { block: 'bad', redact: 'warn', flag: 'plain' } as const;
const sides = { input: 'requests', output: 'answers', both: 'requests and answers' } as const;

const columns: Column<GuardrailRow>[] = [
  {
    header: 'Guardrail',
    cell: ({ row: { original } }) => (
      <span className={styles.name}>
        <strong className="break">{original.id}</strong>
        <span className="muted break">{formerly(original) ?? looksFor(original)}</span>
      </span>
    ),
  },
  {
    header: 'Does',
    cell: ({ row: { original } }) => <Badge tone={tones[original.action]}>{original.action}</Badge>,
  },
  { header: 'In', cell: ({ row }) => sides[row.original.appliesTo] },
  { header: 'Holds for', cell: ({ row }) => <span className="break">{holdsFor(row.original)}</span> },
  { header: 'Requests', meta: { end: true }, cell: ({ row }) => countOf(row.original.input) },
  { header: 'Answers', meta: { end: true }, cell: ({ row }) => countOf(row.original.output) },
  {
    header: 'Last in the hour of',
    cell: ({ row: { original } }) => (original.lastHour === null ? '–' : formatDateTime(original.lastHour)),
  },
];

/** Null: it is in force as it stands there. */
const formerly = ({ isGone, didSoBefore }: GuardrailRow): string | null =>
  didSoBefore ? 'did so before' : isGone ? 'not in force any more' : null;

const countOf = (count: number | null) => (count === null ? '–' : formatCount(count));
const mostShown = 3;

function looksFor({ looksFor: all }: GuardrailRow): string {
  const more = all.length - mostShown;
  return [...all.slice(0, mostShown), ...(more > 0 ? [`and ${formatCount(more)} more`] : [])].join(', ');
}

function holdsFor({ keys, models, isGone }: GuardrailRow): string {
  if (isGone) return '–';
  const parts = [
    ...(keys.length > 0 ? [`${formatCount(keys.length)} ${keys.length === 1 ? 'key' : 'keys'}`] : []),
    ...models,
  ];
  return parts.join(', ') || 'all';
}
