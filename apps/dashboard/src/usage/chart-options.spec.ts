import { chartOptions } from './chart-options';
import { tickLabelOf } from './time-label';

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
/** As wide as the text is long. */
const measure = (text: string) => text.length * 6;
const look = { whole: true, format: String, colors: ['red'], line: 'grey', text: 'grey', width: 600, measure };

it.each(['stack', 'lines'] as const)('leaves room for the last label of a chart of %s, whatever it says', (kind) => {
  const { padding } = chartOptions({ ...look, kind, onPoint: () => undefined, onZoom: () => undefined });
  const start = Date.UTC(2026, 0, 1);
  const labels = Array.from({ length: 365 }, (_, day) => day).flatMap((day) => [
    tickLabelOf(start + day * dayMs, 30 * dayMs),
    tickLabelOf(start + day * dayMs + (day % 24) * hourMs, hourMs),
  ]);
  for (const label of labels) expect(padding?.[1]).toBeGreaterThanOrEqual(measure(label) / 2);
});
