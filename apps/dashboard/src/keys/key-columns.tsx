import type { KeySummary } from '@tollgate/contracts/accounts';
import { Badge } from '../design/badge';
import { IconButton } from '../design/button';
import { Menu } from '../design/menu';
import type { MenuItem } from '../design/menu';
import { RowLink } from '../design/steps';
import type { Column } from '../design/table';
import { formatDate, formatRelative } from '../format/time';
import { isUsable, keyStateOf } from './key-state';
import styles from './keys.module.css';

/** `lastUsedAt` undefined: metering does not answer; null: no request of it is kept. */
const lastUsedText = (lastUsedAt: number | null | undefined) =>
  lastUsedAt === undefined ? '–' : lastUsedAt === null ? 'Not used' : formatRelative(lastUsedAt);

/**
 * The columns that every table of keys has. `pageOf`: where its name leads; `actions`: what can be done
 * with a key that is still of use.
 */
export const keyColumns = <Key extends KeySummary & { lastUsedAt?: number | null | undefined }>(
  header: string,
  pageOf: (key: Key) => string,
  actions: (key: Key) => MenuItem[],
) =>
  ({
    name: {
      header,
      cell: ({ row: { original } }) => (
        <span className={styles.name}>
          <RowLink to={pageOf(original)} className="break">
            {original.name}
          </RowLink>
          <code className="muted">{original.display}</code>
        </span>
      ),
    },
    state: {
      header: 'State',
      cell: ({ row }) => {
        const { tone, text } = keyStateOf(row.original, Date.now());
        return (
          <>
            <Badge tone={tone}>{text}</Badge> {row.original.logContent && <Badge tone="warn">Logged</Badge>}
          </>
        );
      },
    },
    models: {
      header: 'Models',
      cell: ({ row }) => <span className="break">{row.original.models.join(', ') || 'All'}</span>,
    },
    lastUsed: {
      header: 'Last used',
      cell: ({ row: { original } }) => lastUsedText(original.lastUsedAt),
    },
    expires: {
      header: 'Expires',
      meta: { whole: true },
      cell: ({ row }) => (row.original.expiresAt === null ? 'Never' : formatDate(row.original.expiresAt)),
    },
    actions: {
      id: 'actions',
      header: () => <span className="visually-hidden">Actions</span>,
      meta: { end: true },
      cell: ({ row: { original } }) => {
        const items = isUsable(original, Date.now()) ? actions(original) : [];
        if (items.length === 0) return null;
        return (
          <Menu items={items}>
            <IconButton size="small" icon="more" label={`Actions for ${original.name}`} />
          </Menu>
        );
      },
    },
  }) satisfies Record<string, Column<Key>>;
