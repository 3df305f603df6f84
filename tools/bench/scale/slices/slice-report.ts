import type { AnswerTimes } from '../report-latency';

/** What promise 28 says: the 95th percentile of any slice, milliseconds. */
const mostMs = 150;

/** The answers as a Markdown table, and which are over what is promised. */
export function sliceReport(cold: Record<string, AnswerTimes>, warm: Record<string, AnswerTimes>): string {
  const rows = Object.entries(warm).map(([name, times]) => {
    const over = times.p95 < mostMs ? '' : `over ${mostMs}`;
    return `| ${name} | ${cell(times)} | ${cell(cold[name])} | ${over} |`;
  });
  return ['| p50 / p95 in milliseconds | warm | cold | |', '| --- | ---: | ---: | --- |', ...rows].join('\n');
}

function cell(times: AnswerTimes | undefined): string {
  if (!times) return '';
  const { p50, p95, gaveUp } = times;
  return `${p50.toFixed(1)} / ${p95.toFixed(1)}${gaveUp === 0 ? '' : ` (${gaveUp} given up on)`}`;
}
