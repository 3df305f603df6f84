import UPlot from 'uplot';
import { axisSamples, tickLabelOf } from './time-label';

interface Look {
  kind: 'stack' | 'lines';
  whole: boolean;
  format: (value: number) => string;
  colors: string[];
  line: string;
  text: string;
  width: number;
  /** How wide a text of the axes is, in pixels. */
  measure: (text: string) => number;
  onPoint: (index: number | null) => void;
  /** A part of the chart was drawn over: from when until when, epoch milliseconds. */
  onZoom: (from: number, to: number) => void;
}

const height = 190;
export const axisFont = '11px system-ui, sans-serif';
const wholeSteps = Array.from({ length: 40 }, (_, power) => [1, 2, 5].map((step) => step * 10 ** power))
  .flat()
  .slice(0, 48);
const together = UPlot.sync('usage');

/** Charts of a page share their pointer. */
export function chartOptions({
  kind,
  whole,
  format,
  colors,
  line,
  text,
  width,
  measure,
  onPoint,
  onZoom,
}: Look): UPlot.Options {
  const axis = { stroke: text, font: axisFont, ticks: { show: false }, grid: { stroke: line, width: 1 } };
  const bars = UPlot.paths.bars?.({ size: [0.72, 26], radius: 0.12 });
  return {
    width: Math.max(width, 120),
    height,
    ms: 1,
    legend: { show: false },
    padding: [8, roomAtTheEnd(measure), 0, 0],
    cursor: {
      // What is drawn over one chart is told to none of the others, each of which would zoom as well.
      sync: { key: together.key, filters: { pub: (type) => type === 'mousemove' || type === 'mouseleave' } },
      drag: { x: true, y: false, setScale: false },
      y: false,
      points: { show: kind === 'lines', size: 6 },
    },
    scales: {
      x: { range: (_plot, min, max) => edges(kind, min, max) },
      y: { range: (_plot, _min, max) => [0, top(max)] },
    },
    axes: [
      {
        ...axis,
        grid: { show: false },
        size: 28,
        space: 70,
        values: (plot, ticks) => ticks.map((at) => tickLabelOf(at, spanOf(plot))),
      },
      {
        ...axis,
        size: 62,
        space: 42,
        ...(whole && { incrs: wholeSteps }),
        values: (_plot, ticks) => ticks.map((value) => (value === 0 ? '0' : format(value))),
      },
    ],
    series: [
      {},
      ...colors.map((color) =>
        kind === 'stack'
          ? { stroke: color, fill: color, width: 0, ...(bars && { paths: bars }), points: { show: false } }
          : { stroke: color, width: 1.75, spanGaps: true, points: { size: 4, fill: color, filter: alone } },
      ),
    ],
    hooks: {
      setCursor: [({ cursor }) => onPoint(cursor.idx ?? null)],
      setSelect: [(plot) => zoom(plot, onZoom)],
    },
  };
}

/** Where there are too many points to show each: the only one of a line, which is a line of no length. */
const alone: UPlot.Series.Points.Filter = (plot, line, areShown) => {
  if (areShown) return null;
  const measured = [...(plot.data[line] ?? [])].flatMap((value, index) => (value == null ? [] : [index]));
  return measured.length === 1 ? measured : [];
};

/** A label is centred below its point: the last one needs half of its width beside the chart. */
const roomAtTheEnd = (measure: Look['measure']) => Math.ceil(Math.max(...axisSamples.map(measure)) / 2) + 2;

/** Narrower than this is a press. */
const narrowestPx = 8;

/** Tells what was drawn over, and takes the mark away. */
function zoom(plot: UPlot, onZoom: Look['onZoom']): void {
  const { left, width } = plot.select;
  if (width < narrowestPx) return;
  plot.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
  onZoom(Math.round(plot.posToVal(left, 'x')), Math.round(plot.posToVal(left + width, 'x')));
}

const top = (max: number | null) => (max !== null && Number.isFinite(max) && max > 0 ? max * 1.08 : 1);

const spanOf = (plot: UPlot) => (plot.scales['x']?.max ?? 0) - (plot.scales['x']?.min ?? 0);

/** Bars need half of their width beside the first and the last point. */
function edges(kind: Look['kind'], min: number | null, max: number | null): [number, number] {
  const from = min ?? 0;
  const to = max ?? 1;
  const room = kind === 'stack' ? (to - from) * 0.012 : 0;
  return [from - room, to + room];
}
