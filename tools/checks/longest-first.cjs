'use strict';

/**
 * Seconds that the long test files take on two quiet cores. Jest would begin with the largest, and end with
 * one worker waiting for the other.
 */
const seconds = {
  'hostile.e2e': 158,
  'dashboard.e2e': 123,
  'outages.e2e': 81,
  'charges.e2e': 77,
  'plain.e2e': 73,
  'dashboard-work.e2e': 72,
  'resilience.e2e': 72,
  'background.e2e': 62,
  'dashboard-records.e2e': 47,
  'canary.e2e': 46,
  'dashboard-people.e2e': 45,
  'release.e2e': 42,
  'own-servers.e2e': 38,
  'own-provider.e2e': 30,
  'budgets.e2e': 28,
  'start.e2e': 28,
  'outages.integration': 68,
  'faults.integration': 30,
  'usage.integration': 29,
  'catalog.integration': 29,
  'changes.integration': 28,
  'surfaces.integration': 26,
  'access.integration': 21,
  'valkey-rate-limit-store.integration': 20,
  'conversations.integration': 20,
  'run-only.integration': 20,
  'generation.integration': 19,
  'migrate.integration': 19,
  'dear-translation.integration': 18,
  'admin-api.integration': 18,
  'back-pressure.integration': 17,
  'cli.integration': 17,
  'inference.integration': 16,
  'tracing.integration': 15,
  'cluster.integration': 14,
  'first-start.integration': 14,
  'webhooks.integration': 14,
  'agreement.simulation': 47,
  replay: 16,
  fuzz: 8,
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
