import type { ChartProps } from './chart-card';
import { timeLabelOf } from './time-label';
import styles from './usage.module.css';

/** Newest first, points without anything left out. */
export function ChartTable({ chart, times, step }: ChartProps) {
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
