import { collectDefaultMetrics, Registry } from 'prom-client';
import { resolutionMs, watchEventLoopDelay } from './event-loop-delay';

/** The registry of a service's metrics, which holds what every service tells: its process, and how late its event loop is. */
export function serviceRegistry(): Registry {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: resolutionMs });
  watchEventLoopDelay(registry);
  return registry;
}
