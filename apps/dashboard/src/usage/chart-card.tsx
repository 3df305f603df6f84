import { Suspense, lazy, useState } from 'react';
import { IconButton } from '../design/button';
import { Card } from '../design/card';
import { classes } from '../design/classes';
import { Skeleton } from '../design/states';
import { ChartTable } from './chart-table';
import type { ChartSpec } from './charts-of';
import { timeLabelOf } from './time-label';
import { useRange } from './use-range';
import styles from './usage.module.css';

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
