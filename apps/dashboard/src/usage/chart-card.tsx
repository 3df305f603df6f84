import { lazy, Suspense, useState } from 'react';
import { IconButton } from '../design/button';
import { Card } from '../design/card';
import { classes } from '../design/classes';
import { Skeleton } from '../design/states';
import type { ChartSpec } from './charts-of';
import { timeLabelOf } from './time-label';
import styles from './usage.module.css';
import { useRange } from './use-range';

const Chart = lazy(async () => ({ default: (await import('./chart')).Chart }));

export interface ChartProps {
  chart: ChartSpec;
  times: number[];
  step: 'minute' | 'hour' | 'day';
}

const lineClasses = [1, 2, 3, 4, 5, 6, 7, 8].map((number) => styles[`line${number}`] ?? '');

/** The class that has the colour of a line. */
export const lineClassOf = ({ colors }: ChartSpec, line: number): string =>
  lineClasses[colors?.[line] ?? line % lineClasses.length] ?? '';

/**
 * A chart with its legend, which tells the figures under the pointer, and the same figures as a table.
 * Drawing over a part of it makes that the range of the page.
 */
export function ChartCard({ chart, times, step }: ChartProps) {
  const [asTable, setAsTable] = useState(false);
  const [, setRange] = useRange();
  const [index, setIndex] = useState<number | null>(null);
  const at = index === null ? undefined : times[index];
  return (
    <Card
      title={chart.title}
      actions={
        <span className={styles.chartActions}>
          <span className="muted small number">{at !== undefined && timeLabelOf(at, step)}</span>
          <IconButton
            size="small"
            icon={asTable ? 'activity' : 'list'}
            label={asTable ? `${chart.title} as a chart` : `${chart.title} as a table`}
            onClick={() => setAsTable(!asTable)}
          />
        </span>
      }
    >
      <ul className={styles.legend}>
        {chart.lines.map((line, number) => {
          const value = index === null ? null : line.values[index];
          return (
            <li key={line.name}>
              <span className={classes(styles.swatch, lineClassOf(chart, number))} aria-hidden="true" />
              {line.name}
              {value != null && <strong className="number">{chart.format(value)}</strong>}
            </li>
          );
        })}
      </ul>
      {asTable ? (
        <ChartTable chart={chart} times={times} step={step} />
      ) : (
        <div role="img" aria-label={summaryOf(chart)} className={styles.plot}>
          {isEmpty(chart) ? (
            <p className={styles.nothing}>{chart.nothing ?? 'Nothing in this time'}</p>
          ) : (
            <Suspense fallback={<Skeleton lines={4} inPlace />}>
              <Chart
                chart={chart}
                times={times}
                step={step}
                onPoint={setIndex}
                onZoom={(from, to) => setRange({ name: 'custom', from, to })}
              />
            </Suspense>
          )}
        </div>
      )}
    </Card>
  );
}

const isEmpty = ({ lines }: ChartSpec) => lines.every(({ values }) => values.every((value) => !value));

/** What a picture says, for who does not see it; the table has all of it. */
function summaryOf({ title, lines, format }: ChartSpec): string {
  const tops = lines.map(({ name, values }) => {
    const measured = values.filter((value) => value !== null);
    return `${name}: ${measured.length ? `at most ${format(Math.max(...measured))}` : 'nothing measured'}`;
  });
  return `Chart of ${title.toLowerCase()}. ${tops.join(', ')}.`;
}

/** Newest first, points without anything left out. */
function ChartTable({ chart, times, step }: ChartProps) {
  const rows = times
    .map((at, index) => ({ at, values: chart.lines.map(({ values }) => values[index] ?? null) }))
    .filter(({ values }) => values.some((value) => value !== null && value !== 0))
    .reverse();
  if (!rows.length) return <p className="muted">Nothing happened in this time.</p>;
  return (
    // eslint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- what scrolls must be reachable by keyboard
    <div className={styles.chartTable} tabIndex={0} role="region" aria-label={`${chart.title}, table`}>
      <table>
        <thead>
          <tr>
            <th scope="col">Time</th>
            {chart.lines.map(({ name }) => (
              <th key={name} scope="col">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(({ at, values }) => (
            <tr key={at}>
              <th scope="row">{timeLabelOf(at, step)}</th>
              {values.map((value, number) => (
                <td key={chart.lines[number]?.name}>{value === null ? '–' : chart.format(value)}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
