import { collectDefaultMetrics, Gauge, Registry } from 'prom-client';
import { version } from '../version';
import { resolutionMs, watchEventLoopDelay } from './event-loop-delay';

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
