import { monthStartMs } from '@tollgate/contracts';
import type { MetricsPeriod } from '@tollgate/contracts/metering';

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;

const lengthMs: Record<MetricsPeriod, number> = { hour: hourMs, day: dayMs, week: 7 * dayMs, month: 30 * dayMs };

/**
 * The window [start, end) of a report, cut where rollups can take over: whole hours in the middle, whole
 * minutes around them, and single events at the ragged edges. All in epoch milliseconds: [start, firstMinute)
 * events, [firstMinute, firstHour) minutes, [firstHour, lastHour) hours, [lastHour, lastMinute) minutes,
 * [lastMinute, end) events.
 */
export interface ReportWindow {
  start: number;
  firstMinute: number;
  firstHour: number;
  lastHour: number;
  lastMinute: number;
  end: number;
}

/**
 * The window of a period that ends at `end`; with `calendar` since the first instant of its month (UTC). No
 * period is shorter than an hour, and a month begins with a whole one, so the cuts are always in this order.
 */
export function reportWindow(period: MetricsPeriod, end: number, calendar = false): ReportWindow {
  const start = calendar ? monthStartMs(end) : end - lengthMs[period];
  return {
    start,
    firstMinute: roundUp(start, minuteMs),
    firstHour: roundUp(start, hourMs),
    lastHour: end - (end % hourMs),
    lastMinute: end - (end % minuteMs),
    end,
  };
}

function roundUp(time: number, unit: number): number {
  return Math.ceil(time / unit) * unit;
}
