import type { Webhook } from '@tollgate/contracts';
import { useMemo } from 'react';
import { Button, IconButton } from '../design/button';
import { Menu } from '../design/menu';
import { Table } from '../design/table';
import type { Column } from '../design/table';
import { formatDate } from '../format/time';
import { forms, kindsText } from './webhook-words';
import styles from './webhooks.module.css';

interface Acts {
  /** The webhook that a test is being asked for; null: none. */
  testing: string | null;
  onTest: (webhook: Webhook) => void;
  onRemove: (webhook: Webhook) => void;
}

export function WebhooksTable({ webhooks, testing, onTest, onRemove }: Acts & { webhooks: Webhook[] }) {
  const columns = useMemo(() => columnsOf({ testing, onTest, onRemove }), [testing, onTest, onRemove]);
  return <Table label="Webhooks" columns={columns} rows={webhooks} rowId={({ id }) => id} />;
}

const columnsOf = ({ testing, onTest, onRemove }: Acts): Column<Webhook>[] => [
  {
    header: 'Name',
    cell: ({ row: { original } }) => (
      <span className={styles.name}>
        <strong className="break">{original.name}</strong>
        <span className="muted break">{original.host}</span>
      </span>
    ),
  },
  { header: 'What is sent', cell: ({ row }) => forms[row.original.form].name },
  { header: 'Alerts', cell: ({ row }) => <span className="break">{kindsText(row.original)}</span> },
  { header: 'Since', meta: { whole: true }, cell: ({ row }) => formatDate(row.original.createdAt) },
  {
    id: 'actions',
    header: () => <span className="visually-hidden">Actions</span>,
    meta: { end: true },
    cell: ({ row: { original } }) => (
      <span className={styles.actions}>
        <Button
          size="small"
          icon="send"
          aria-label={`Send a test to ${original.name}`}
          busy={testing === original.id}
          onClick={() => onTest(original)}
        >
          Send a test
        </Button>
        <Menu items={[{ name: 'Remove', icon: 'trash', tone: 'bad', onSelect: () => onRemove(original) }]}>
          <IconButton size="small" icon="more" label={`Actions for ${original.name}`} />
        </Menu>
      </span>
    ),
  },
];
