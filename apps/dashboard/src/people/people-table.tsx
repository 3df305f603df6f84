import { useMemo } from 'react';
import type { ListedPerson } from '../api/people';
import { Badge } from '../design/badge';
import { IconButton } from '../design/button';
import { Menu } from '../design/menu';
import type { MenuItem } from '../design/menu';
import { Table } from '../design/table';
import type { Column } from '../design/table';
import styles from './people.module.css';
import { roleTexts } from './role-field';

/** `actionsOf`: what may be done with somebody; absent: nothing with anybody. */
export function PeopleTable<Person extends ListedPerson>({
  people,
  actionsOf,
}: {
  people: Person[];
  actionsOf?: (person: Person) => MenuItem[];
}) {
  const columns = useMemo(() => [...facts(people), ...(actionsOf ? [actions(actionsOf)] : [])], [people, actionsOf]);
  return <Table label="People" columns={columns} rows={people} rowId={({ id }) => id} />;
}

/** Whether somebody has a second factor is not told to everybody. */
function facts<Person extends ListedPerson>(people: readonly Person[]): Column<Person>[] {
  const factor: Column<Person> = {
    header: 'Second factor',
    cell: ({ row }) => (row.original.hasSecondFactor ? 'yes' : 'no'),
  };
  return [
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
    ...(people.some(({ hasSecondFactor }) => hasSecondFactor !== undefined) ? [factor] : []),
    { header: 'Keys', meta: { end: true }, cell: ({ row }) => row.original.keys },
  ];
}

function actions<Person extends ListedPerson>(actionsOf: (person: Person) => MenuItem[]): Column<Person> {
  return {
    id: 'actions',
    header: () => <span className="visually-hidden">Actions</span>,
    meta: { end: true },
    cell: ({ row: { original } }) => {
      const items = actionsOf(original);
      return (
        items.length > 0 && (
          <Menu items={items}>
            <IconButton size="small" icon="more" label={`Actions for ${original.name}`} />
          </Menu>
        )
      );
    },
  };
}
