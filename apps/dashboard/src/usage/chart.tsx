import { useEffect, useLayoutEffect, useRef } from 'react';
import UPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import { useIsDark } from '../design/theme';
import { lineClassOf } from './chart-card';
import type { ChartProps } from './chart-card';
import { axisFont, chartOptions } from './chart-options';
import { stacked } from './stacked';
import { inTurn } from './in-turn';
import styles from './usage.module.css';

/**
 * A canvas that redraws in a few milliseconds. It is made anew when the lines or the theme change, after the
 * charts before it and in a task of its own, and else only gets new data.
 */
export function Chart({
  chart,
  times,
  step,
  onPoint,
  onZoom,
}: ChartProps & { onPoint: (index: number | null) => void; onZoom: (from: number, to: number) => void }) {
  const frame = useRef<HTMLDivElement>(null);
  const plot = useRef<UPlot | null>(null);
  const latest = useRef({ chart, times, onPoint, onZoom });
  const dark = useIsDark();
  const shape = `${chart.id} ${chart.kind} ${step} ${chart.lines.map(({ name }) => name).join('|')}`;

  useLayoutEffect(() => {
    latest.current = { chart, times, onPoint, onZoom };
  });

  useEffect(() => {
    const resizing = new ResizeObserver(() => {
      const { current } = plot;
      current?.setSize({ width: frame.current?.clientWidth ?? current.width, height: current.height });
    });
    const takeBack = inTurn(() => {
      const element = frame.current;
      if (!element) return;
      const { chart: first } = latest.current;
      const options = chartOptions({
        kind: first.kind,
        whole: first.whole,
        format: (value) => latest.current.chart.format(value),
        colors: first.lines.map((_, number) => colorOf(element, lineClassOf(first, number))),
        line: colorOf(element, styles['axisLine'] ?? ''),
        text: colorOf(element, styles['axisText'] ?? ''),
        width: element.clientWidth,
        measure: measureText,
        onPoint: (index) => latest.current.onPoint(index),
        onZoom: (from, to) => latest.current.onZoom(from, to),
      });
      plot.current = new UPlot(options, dataOf(latest.current), element);
      resizing.observe(element);
    });
    return () => {
      takeBack();
      resizing.disconnect();
      plot.current?.destroy();
      plot.current = null;
    };
  }, [shape, dark]);

  useEffect(() => plot.current?.setData(dataOf({ chart, times })), [chart, times]);

  return <div ref={frame} className={styles.canvas} />;
}

function dataOf({ chart, times }: Pick<ChartProps, 'chart' | 'times'>): UPlot.AlignedData {
  const values = chart.lines.map((line) => line.values);
  return [times, ...(chart.kind === 'stack' ? stacked(values) : values)];
}

/** How wide a text of the axes is, in pixels. */
function measureText(text: string): number {
  const canvas = document.createElement('canvas').getContext('2d');
  if (!canvas) return 0;
  canvas.font = axisFont;
  return canvas.measureText(text).width;
}

/** What a colour of the design is right now: a canvas knows no custom properties. */
function colorOf(parent: HTMLElement, className: string): string {
  const probe = parent.appendChild(document.createElement('span'));
  probe.className = className;
  const { color } = getComputedStyle(probe);
  probe.remove();
  return color;
}
