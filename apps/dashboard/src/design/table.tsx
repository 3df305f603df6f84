/* eslint-disable jsx-a11y/no-redundant-roles, jsx-a11y/no-interactive-element-to-noninteractive-role -- a table that is laid out otherwise on a phone is none for screen readers, unless its roles are said */
import { getCoreRowModel, getSortedRowModel, useReactTable } from '@tanstack/react-table';
import type { Cell, ColumnDef, ColumnDefTemplate, Header, RowData } from '@tanstack/react-table';
import { useCallback, useMemo, useState } from 'react';
import type { ReactNode } from 'react';
import { useSearch } from '../app/use-search';
import { classes } from './classes';
import { EndOfRows } from './end-of-rows';
import { sortFrom, sortText } from './sort-text';
import styles from './table.module.css';

declare module '@tanstack/react-table' {
  // The names of the type parameters are the library's.
  interface ColumnMeta<TData extends RowData, TValue> {
    /** Numbers stand at the end. */
    end?: boolean;
    /** Left out on a phone. */
    minor?: boolean;
    /** A short text that is not broken. */
    whole?: boolean;
  }
}

export type Column<Row> = ColumnDef<Row>;

/** More than a screen shows. */
const rowsAtOnce = 40;

/**
 * A page has one table that can be sorted: how it is stands in the address. `onOpen` makes rows answer a
 * press (the cell that names a row should hold the same as a link or button). `grows`: its rows are many, and
 * drawn as somebody comes near them.
 */
export function Table<Row extends RowData>({
  label,
  columns,
  rows,
  rowId,
  onOpen,
  more,
  grows = false,
}: {
  label: string;
  columns: Column<Row>[];
  rows: Row[];
  rowId: (row: Row) => string;
  onOpen?: (row: Row) => void;
  more?: ReactNode;
  grows?: boolean;
}) {
  const [search, change] = useSearch();
  const sort = search.get('sort');
  const sorting = useMemo(() => sortFrom(sort, columns.flatMap(sortableId)), [sort, columns]);
  // eslint-disable-next-line react-hooks/incompatible-library -- nothing here is memoized by a compiler
  const table = useReactTable({
    data: rows,
    columns,
    state: { sorting },
    onSortingChange: (next) => change({ sort: sortText(typeof next === 'function' ? next(sorting) : next) }),
    getCoreRowModel: getCoreRowModel(),
    getSortedRowModel: getSortedRowModel(),
    getRowId: rowId,
    defaultColumn: { enableSorting: false, sortDescFirst: true },
  });
  const [most, setMost] = useState(rowsAtOnce);
  const drawMore = useCallback(() => setMost((before) => before + rowsAtOnce), []);
  const { rows: all } = table.getRowModel();
  const shown = grows ? all.slice(0, most) : all;
  return (
    <div>
      <div className={styles.frame}>
        <table
          className={styles.table}
          role="table"
          aria-label={label}
          aria-rowcount={grows ? all.length + 1 : undefined}
        >
          <thead role="rowgroup">
            {table.getHeaderGroups().map((group) => (
              <tr key={group.id} role="row">
                {group.headers.map((header) => (
                  <HeaderCell key={header.id} header={header} />
                ))}
              </tr>
            ))}
          </thead>
          <tbody role="rowgroup">
            {shown.map((row) => (
              <tr
                key={row.id}
                role="row"
                className={onOpen && styles.open}
                onClick={onOpen && ((event) => !isControl(event.target) && onOpen(row.original))}
              >
                {row.getVisibleCells().map((cell) => (
                  <BodyCell key={cell.id} cell={cell} />
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {shown.length < all.length && <EndOfRows key={most} onNear={drawMore} />}
      {more && <div className={styles.more}>{more}</div>}
    </div>
  );
}

/** What a column is called in an address, where its table can be sorted by it. */
const sortableId = <Row extends RowData>({ id, header, enableSorting }: Column<Row>): string[] =>
  enableSorting ? [id ?? (typeof header === 'string' ? header : '')] : [];

/** A press on a control inside a row is meant for the control. */
const isControl = (target: EventTarget) =>
  target instanceof Element && target.closest('a, button, input, select') !== null;

/**
 * What a column shows. A function of it is called, and not mounted as a component, as `flexRender` does:
 * columns are made anew while a page follows what happens, which would close whatever is open in a cell.
 */
const drawn = <Context extends object>(template: ColumnDefTemplate<Context> | undefined, context: Context): ReactNode =>
  typeof template === 'function' ? (template(context) as ReactNode) : template;

function HeaderCell<Row>({ header }: { header: Header<Row, unknown> }) {
  const { column } = header;
  const order = column.getIsSorted();
  const text = drawn(column.columnDef.header, header.getContext());
  return (
    <th
      role="columnheader"
      scope="col"
      className={column.columnDef.meta?.end ? styles.end : undefined}
      aria-sort={order === 'asc' ? 'ascending' : order === 'desc' ? 'descending' : undefined}
    >
      {column.getCanSort() ? (
        <button type="button" className={styles.sort} onClick={column.getToggleSortingHandler()}>
          {text}
          <span className={styles.arrow} aria-hidden="true">
            {order === 'asc' ? '↑' : order === 'desc' ? '↓' : ''}
          </span>
        </button>
      ) : (
        text
      )}
    </th>
  );
}

function BodyCell<Row>({ cell }: { cell: Cell<Row, unknown> }) {
  const { header, meta } = cell.column.columnDef;
  return (
    <td
      role="cell"
      className={
        classes(meta?.end && styles.end, meta?.minor && styles.minor, meta?.whole && styles.whole) || undefined
      }
      data-label={typeof header === 'string' && header ? header : undefined}
    >
      {drawn(cell.column.columnDef.cell, cell.getContext())}
    </td>
  );
}
