'use strict';

/**
 * Seconds that the long test files take on two quiet cores. Jest would begin with the largest, and end with
 * one worker waiting for the other.
 */
const seconds = {
  'hostile.e2e': 166,
  'dashboard.e2e': 130,
  'dashboard-work.e2e': 83,
  'outages.e2e': 81,
  'charges.e2e': 79,
  'plain.e2e': 77,
  'resilience.e2e': 71,
  'background.e2e': 61,
  'dashboard-records.e2e': 47,
  'canary.e2e': 43,
  'own-servers.e2e': 37,
  'start.e2e': 36,
  'release.e2e': 36,
  'dashboard-people.e2e': 35,
  'own-provider.e2e': 29,
  'budgets.e2e': 24,
  'admin-api.e2e': 23,
  'compact.e2e': 22,
  'content-log.e2e': 21,
  'alerts.e2e': 19,
  'guardrails.e2e': 18,
  'traces.e2e': 18,
  'first-answer.e2e': 11,
  'outages.integration': 68,
  'changes.integration': 36,
  'faults.integration': 30,
  'usage.integration': 29,
  'catalog.integration': 27,
  'surfaces.integration': 25,
  'valkey-log.integration': 23,
  'conversations.integration': 20,
  'import-litellm.integration': 19,
  'generation.integration': 18,
  'back-pressure.integration': 18,
  'access.integration': 18,
  'migrate.integration': 17,
  'postgres.integration': 16,
  'run-only.integration': 16,
  'valkey-rate-limit-store.integration': 16,
  'stream-copies.integration': 16,
  'admin-api.integration': 15,
  'live-settings.integration': 15,
  'inference.integration': 14,
  'upstream-faults.integration': 13,
  'cluster.integration': 13,
  'deployment-health.integration': 13,
  'outage.integration': 13,
  'pairs.integration': 13,
  'webhooks.integration': 13,
  'budget-leases.integration': 13,
  'tls-cluster.integration': 12,
  'tracing.integration': 12,
  'hedge.integration': 11,
  'budgets-of-projects.integration': 11,
  'first-start.integration': 11,
  replay: 19,
  'agreement.simulation': 10,
  fuzz: 10,
  'stream-reader': 7,
  answers: 6,
  'openai-schemas': 5,
};

/** Jest's order of test files: the longest first, the others by their size. */
module.exports = class LongestFirst {
  sort(tests) {
    return [...tests].sort((one, other) => weight(other) - weight(one));
  }

  /** Jest tells of results, for an order that depends on the last run: this one does not. */
  cacheResults() {}
};

function weight({ path, context }) {
  const [, name] = /([^/]+)\.spec\.ts$/.exec(path) ?? [];
  return seconds[name] ?? context.hasteFS.getSize(path) / 1_000_000;
}
