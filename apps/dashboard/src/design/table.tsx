/* eslint-disable jsx-a11y/no-redundant-roles, jsx-a11y/no-interactive-element-to-noninteractive-role -- a table that is laid out otherwise on a phone is none for screen readers, unless its roles are said */
import { getCoreRowModel, getSortedRowModel, useReactTable } from '@tanstack/react-table';
import type { Cell, ColumnDef, ColumnDefTemplate, Header, Row as ShownRow, RowData } from '@tanstack/react-table';
import { useLayoutEffect, useMemo, useRef } from 'react';
import type { ReactNode } from 'react';
import { useSearch } from '../app/use-search';
import { classes } from './classes';
import { keepColumns, RowBlocks } from './row-blocks';
import { sortFrom, sortText } from './sort-text';
import { RowIds } from './steps';
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

/**
 * A page has one table that can be sorted: how it is stands in the address. `onOpen` makes rows answer a
 * press (the cell that names a row should hold the same as a link or button). `grows`: its rows are many, and
 * in the document while somebody is near them. The links of a row tell the order of the rows (steps.tsx).
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
  const { rows: shown } = table.getRowModel();
  const ids = useMemo(() => shown.map(({ id }) => id), [shown]);
  const element = useKeptColumns(grows, ids.join('\n'));
  const bodyRow = (row: ShownRow<Row>, index: number) => (
    <BodyRow key={row.id} row={row} index={grows ? index : null} onOpen={onOpen} />
  );
  return (
    <RowIds value={ids}>
      <div>
        <div className={styles.frame}>
          <table
            ref={element}
            className={styles.table}
            role="table"
            aria-label={label}
            aria-rowcount={grows ? shown.length + 1 : undefined}
          >
            <thead role="rowgroup">
              {table.getHeaderGroups().map((group) => (
                <tr key={group.id} role="row" aria-rowindex={grows ? 1 : undefined}>
                  {group.headers.map((header) => (
                    <HeaderCell key={header.id} header={header} />
                  ))}
                </tr>
              ))}
            </thead>
            {grows ? (
              <RowBlocks rows={shown}>{bodyRow}</RowBlocks>
            ) : (
              <tbody role="rowgroup">{shown.map(bodyRow)}</tbody>
            )}
          </table>
        </div>
        {more && <div className={styles.more}>{more}</div>}
      </div>
    </RowIds>
  );
}

/** What keeps the columns of a table where they are, for as long as its rows are these and as wide as it is. */
function useKeptColumns(isKept: boolean, rows: string) {
  const table = useRef<HTMLTableElement>(null);
  useLayoutEffect(() => {
    const element = table.current;
    const frame = element?.parentElement;
    if (!isKept || !element || !frame) return undefined;
    keepColumns(element);
    let width = frame.clientWidth;
    const resizing = new ResizeObserver(() => {
      if (frame.clientWidth === width) return;
      width = frame.clientWidth;
      keepColumns(element);
    });
    resizing.observe(frame);
    return () => resizing.disconnect();
  }, [isKept, rows]);
  return table;
}

/** `index` null: of a table that is in the document as a whole. */
function BodyRow<Row>({
  row,
  index,
  onOpen,
}: {
  row: ShownRow<Row>;
  index: number | null;
  onOpen: ((row: Row) => void) | undefined;
}) {
  return (
    <tr
      role="row"
      aria-rowindex={index === null ? undefined : index + 2}
      className={onOpen && styles.open}
      onClick={onOpen && ((event) => !isControl(event.target) && onOpen(row.original))}
    >
      {row.getVisibleCells().map((cell) => (
        <BodyCell key={cell.id} cell={cell} />
      ))}
    </tr>
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
