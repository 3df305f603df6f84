import { useEffect, useLayoutEffect, useRef } from 'react';
import UPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import { useIsDark } from '../design/theme';
import { lineClassOf } from './chart-card';
import type { ChartProps } from './chart-card';
import { axisFont, chartOptions } from './chart-options';
import { stacked } from './stacked';
import styles from './usage.module.css';

/**
 * A canvas that redraws in a few milliseconds. It is made anew when the lines or the theme change, and else
 * only gets new data.
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
  const latest = useRef({ chart, onPoint, onZoom });
  const dark = useIsDark();
  const shape = `${chart.id} ${chart.kind} ${step} ${chart.lines.map(({ name }) => name).join('|')}`;

  useLayoutEffect(() => {
    latest.current = { chart, onPoint, onZoom };
  });

  useEffect(() => {
    const element = frame.current;
    if (!element) return;
    const { chart: first } = latest.current;
    const made = new UPlot(
      chartOptions({
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
      }),
      undefined,
      element,
    );
    plot.current = made;
    const resizing = new ResizeObserver(() => made.setSize({ width: element.clientWidth, height: made.height }));
    resizing.observe(element);
    return () => {
      resizing.disconnect();
      made.destroy();
      plot.current = null;
    };
  }, [shape, dark]);

  useEffect(() => {
    const values = chart.lines.map((line) => line.values);
    plot.current?.setData([times, ...(chart.kind === 'stack' ? stacked(values) : values)]);
  }, [chart, times, shape, dark]);

  return <div ref={frame} className={styles.canvas} />;
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
