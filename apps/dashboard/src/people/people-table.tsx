import { useMemo } from 'react';
import type { ListedPerson } from '../api/people';
import { Badge } from '../design/badge';
import { IconButton } from '../design/button';
import { Menu } from '../design/menu';
import { Table } from '../design/table';
import type { Column } from '../design/table';
import styles from './people.module.css';
import { roleTexts } from './role-texts';

interface Acts {
  mayChange: boolean;
  onRole: (person: ListedPerson) => void;
  onRemove: (person: ListedPerson) => void;
}

export function PeopleTable({ people, mayChange, onRole, onRemove }: Acts & { people: ListedPerson[] }) {
  const columns = useMemo(() => columnsOf({ mayChange, onRole, onRemove }), [mayChange, onRole, onRemove]);
  return <Table label="People" columns={columns} rows={people} rowId={({ id }) => id} />;
}

function columnsOf({ mayChange, onRole, onRemove }: Acts): Column<ListedPerson>[] {
  const columns: Column<ListedPerson>[] = [
    {
      header: 'Name',
      cell: ({ row: { original } }) => (
        <span className={styles.person}>
          <span className="break">{original.name}</span>
          <span className="muted break">{original.email}</span>
        </span>
      ),
    },
    {
      header: 'Role',
      cell: ({ row: { original } }) => (
        <>
          {roleTexts[original.accountRole].name}{' '}
          {original.role === 'administrator' && <Badge tone="plain">administers the gateway</Badge>}
        </>
      ),
    },
    { header: 'Keys', meta: { end: true }, cell: ({ row }) => row.original.keys },
  ];
  if (!mayChange) return columns;
  const actions: Column<ListedPerson> = {
    id: 'actions',
    header: () => <span className="visually-hidden">Actions</span>,
    meta: { end: true },
    cell: ({ row: { original } }) => (
      <Menu
        items={[
          { name: 'Change the role', icon: 'user', onSelect: () => onRole(original) },
          { name: 'Remove', icon: 'trash', tone: 'bad', onSelect: () => onRemove(original) },
        ]}
      >
        <IconButton size="small" icon="more" label={`Actions for ${original.name}`} />
      </Menu>
    ),
  };
  return [...columns, actions];
}
