import type { DeploymentHealth } from '@tollgate/contracts/inference';
import { Counter, Gauge } from 'prom-client';
import type { Registry } from 'prom-client';

/** What is told of each deployment that was tried, or is held. `value` null: no series. */
interface DeploymentGauge {
  readonly name: string;
  readonly help: string;
  readonly value: (one: DeploymentHealth) => number | null;
}

const breakerValues = { closed: 0, 'half-open': 1, open: 2 } as const;
const heldValues = { draining: 1, closed: 2 } as const;

const gauges: readonly DeploymentGauge[] = [
  {
    name: 'tollgate_inference_breaker_state',
    help: 'Deployments that were tried: 0 in use, 1 on trial after a failure, 2 left alone.',
    value: ({ state }) => breakerValues[state],
  },
  {
    name: 'tollgate_inference_breaker_retry_seconds',
    help: 'For how long deployments are still left alone. Without a value: not at all.',
    value: ({ retryInMs }) => (retryInMs > 0 ? retryInMs / 1_000 : null),
  },
  {
    name: 'tollgate_inference_breaker_probes',
    help: 'Attempts that run to see whether a deployment works again.',
    value: ({ probes }) => probes,
  },
  {
    name: 'tollgate_inference_held',
    help: 'Deployments that an operator keeps requests from: 1 drains, 2 is closed.',
    value: ({ held }) => held && heldValues[held.state],
  },
  {
    name: 'tollgate_inference_kept_away',
    help: 'Keys and accounts that are kept from a deployment because their own requests fail there. Without a value: none, or all (see breaker_state).',
    value: ({ callers }) => (callers !== null && callers > 0 ? callers : null),
  },
  {
    name: 'tollgate_inference_waiting',
    help: 'Requests that wait for a place at a deployment.',
    value: ({ waiting }) => waiting,
  },
];

/** How deployments stand, read at each scrape. Labels are providers, deployments and reasons only. */
export function watchDeployments(registry: Registry, deployments: () => readonly DeploymentHealth[]): void {
  const registers = [registry];
  for (const { name, help, value } of gauges)
    new Gauge({
      ...{ name, help, registers },
      labelNames: ['provider', 'deployment'],
      collect() {
        this.reset();
        for (const one of deployments()) {
          const now = value(one);
          if (now !== null) this.set({ provider: one.provider, deployment: one.deployment }, now);
        }
      },
    });
  new Gauge({
    name: 'tollgate_inference_breaker_open_seconds',
    help: 'For how long deployments are left alone or on trial, for anybody, or busy for everybody, and why: a status, no answer or silence.',
    labelNames: ['provider', 'deployment', 'why'],
    registers,
    collect() {
      this.reset();
      for (const { provider, deployment, openForMs, why } of deployments())
        if (openForMs !== null) this.set({ provider, deployment, why: why ?? '' }, openForMs / 1_000);
    },
  });
  new Counter({
    name: 'tollgate_inference_breaker_opened_total',
    help: 'How often a deployment failed so much that it was left alone.',
    labelNames: ['provider', 'deployment'],
    registers,
    collect() {
      this.reset();
      for (const { provider, deployment, timesOpened } of deployments())
        this.inc({ provider, deployment }, timesOpened);
    },
  });
  new Gauge({
    name: 'tollgate_inference_provider_concurrency_limit',
    help: 'Most requests at once at a provider that refuses for load. Without a value there is no limit.',
    labelNames: ['provider'],
    registers,
    collect() {
      this.reset();
      for (const { provider, concurrencyLimit } of deployments())
        if (concurrencyLimit !== null) this.set({ provider }, concurrencyLimit);
    },
  });
}
