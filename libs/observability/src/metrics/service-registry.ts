import { monitorEventLoopDelay } from 'node:perf_hooks';
import { collectDefaultMetrics, Gauge, Registry, Histogram } from 'prom-client';
import { version } from '../version';

/**
 * The registry of a service's metrics, which holds what every service tells: its process, its release, and
 * how late its event loop is.
 */
export function serviceRegistry(): Registry {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: resolutionMs });
  watchEventLoopDelay(registry);
  const build = { name: 'tollgate_build_info', help: 'Always 1: the release that runs.', labelNames: ['version'] };
  new Gauge({ ...build, registers: [registry] }).set({ version }, 1);
  return registry;
}

/**
 * How exactly delays are measured, milliseconds: one may be told by so much too short. Each look wakes the
 * process, and with all of its services idle a machine has little else to do.
 */
const resolutionMs = 50;
const windowMs = 1_000;
const buckets = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5];

/** Of the services in this process, whose event loop is one: a monitor holds some 370 kB. */
const histories: Histogram[] = [];

/**
 * Observes the longest delay of the event loop in each second. One value a second costs nothing, and a
 * histogram of them can be added up over instances and read over any time, however many ask for it.
 */
function watchEventLoopDelay(registry: Registry): void {
  const isFirst = histories.length === 0;
  histories.push(
    new Histogram({
      name: 'tollgate_event_loop_delay_seconds',
      help: 'The longest time in each second for which the event loop did not come around.',
      buckets,
      registers: [registry],
    }),
  );
  if (isFirst) watch();
}

function watch(): void {
  const monitor = monitorEventLoopDelay({ resolution: resolutionMs });
  monitor.enable();
  setInterval(() => {
    // The monitor counts its own pause between two looks as delay.
    const longestMs = monitor.max / 1e6 - resolutionMs;
    monitor.reset();
    for (const delays of histories) delays.observe(Math.max(0, longestMs) / 1_000);
  }, windowMs).unref();
}
