import { useCallback, useState } from 'react';
import type { ReactNode } from 'react';
import styles from './table.module.css';

/** Rows that are drawn, and taken out of the document, together. */
const together = 20;
/** Nobody scrolls so far before they are there. */
const nearPx = 800;
/** Of a row, as long as none was measured. */
const usualPx = 60;

/** The rows of a long table: those alone are in the document that are near the window. */
export function RowBlocks<Row>({
  rows,
  children,
}: {
  rows: readonly Row[];
  children: (row: Row, index: number) => ReactNode;
}) {
  const [rowPx, setRowPx] = useState(usualPx);
  return Array.from({ length: Math.ceil(rows.length / together) }, (_, block) => {
    const first = block * together;
    return (
      <RowBlock
        key={block}
        rows={rows.slice(first, first + together)}
        rowPx={rowPx}
        onRowPx={block === 0 ? setRowPx : null}
      >
        {(row, index) => children(row, first + index)}
      </RowBlock>
    );
  });
}

/** `rowPx`: how high a row is likely to be. `onRowPx`: of the first block, hears how high its rows are. */
function RowBlock<Row>({
  rows,
  rowPx,
  onRowPx,
  children,
}: {
  rows: readonly Row[];
  rowPx: number;
  onRowPx: ((px: number) => void) | null;
  children: (row: Row, index: number) => ReactNode;
}) {
  const [isNear, setIsNear] = useState(onRowPx !== null);
  const [heightPx, setHeightPx] = useState<number | null>(null);
  const count = rows.length;
  const watch = useCallback(
    (body: HTMLElement | null) => {
      if (!body) return undefined;
      const observer = new IntersectionObserver(
        (seen) => {
          const last = seen.at(-1);
          const height = last?.boundingClientRect.height ?? 0;
          // Nothing is said of a table that is out of sight, and whoever is in a row stays there.
          if (!last || height === 0 || body.contains(document.activeElement)) return;
          setIsNear(last.isIntersecting);
          // What stands for rows is as high as they are thought to be.
          if (body.role !== 'rowgroup') return;
          setHeightPx(height);
          onRowPx?.(height / count);
        },
        { rootMargin: `${nearPx}px 0px` },
      );
      observer.observe(body);
      return () => observer.disconnect();
    },
    [count, onRowPx],
  );
  return (
    <tbody ref={watch} role={isNear ? 'rowgroup' : 'presentation'}>
      {isNear ? (
        rows.map(children)
      ) : (
        <tr role="presentation" className={styles.away} style={{ height: heightPx ?? count * rowPx }} />
      )}
    </tbody>
  );
}

/**
 * Keeps the columns of a table as wide as its first rows made them, in parts of the whole: rows that come and
 * go would move them.
 */
export function keepColumns(table: HTMLTableElement): void {
  const heads = [...table.querySelectorAll<HTMLElement>('thead th')];
  Object.assign(table.style, { tableLayout: 'auto', minWidth: '' });
  for (const { style } of heads) style.width = '';
  const whole = table.offsetWidth;
  // On a phone each row is a card, and out of sight nothing has a width.
  if (whole === 0 || getComputedStyle(table).display === 'block') return;
  // All are measured before the first is set, which would move the others.
  const parts = heads.map((head) => ({ head, width: `${(100 * head.offsetWidth) / whole}%` }));
  for (const { head, width } of parts) head.style.width = width;
  const isWider = whole > (table.parentElement?.clientWidth ?? whole);
  Object.assign(table.style, { tableLayout: 'fixed', minWidth: isWider ? `${whole}px` : '' });
}
