'use strict';

/**
 * Seconds that the long test files take on two quiet cores. Jest would begin with the largest, and end with
 * one worker waiting for the other.
 */
const seconds = {
  'dashboard-work.e2e': 119,
  'dashboard.e2e': 99,
  'hostile.e2e': 90,
  'outages.e2e': 89,
  'resilience.e2e': 70,
  'plain.e2e': 69,
  'charges.e2e': 66,
  'background.e2e': 65,
  'canary.e2e': 59,
  'dashboard-people.e2e': 57,
  'dashboard-records.e2e': 41,
  'own-servers.e2e': 34,
  'release.e2e': 27,
  'start.e2e': 26,
  'own-provider.e2e': 22,
  'budgets.e2e': 22,
  'admin-api.e2e': 22,
  'own-keys.e2e': 20,
  'compact.e2e': 17,
  'content-log.e2e': 16,
  'alerts.e2e': 16,
  'guardrails.e2e': 13,
  'own-keys-fall-back.e2e': 13,
  'first-answer.e2e': 8,
  'sign-in.integration': 47,
  'outages.integration': 45,
  'usage-blocks.integration': 40,
  'changes.integration': 33,
  'faults.integration': 29,
  'catalog.integration': 27,
  'usage-publisher.integration': 21,
  'random-usage.integration': 20,
  'surfaces.integration': 19,
  'conversations.integration': 19,
  'generation.integration': 19,
  'access.integration': 18,
  'migrate.integration': 18,
  'valkey-rate-limit-store.integration': 18,
  'valkey-log.integration': 15,
  'run-only.integration': 14,
  'stream-copies.integration': 14,
  'tls-cluster.integration': 14,
  'passkeys.integration': 14,
  'inference.integration': 13,
  'upstream-faults.integration': 13,
  'budget-name-notices.integration': 13,
  'open-window.integration': 13,
  'dear-translation.integration': 13,
  'import-litellm.integration': 12,
  'live-settings.integration': 12,
  'cluster.integration': 12,
  'deployment-health.integration': 12,
  'webhooks.integration': 12,
  'tracing.integration': 12,
  'first-start.integration': 12,
  'people.integration': 12,
  'cli.integration': 12,
  'members.integration': 12,
  'rolling-budgets.integration': 12,
  'back-pressure.integration': 11,
  'budgets.integration': 10,
  'alerts.integration': 10,
  'usage-consumer.integration': 10,
  'postgres.integration': 8,
  'outage.integration': 7,
  'budget-leases.integration': 7,
  'budgets-of-projects.integration': 7,
  'admin-api.integration': 6,
  'pairs.integration': 6,
  'hedge.integration': 6,
  replay: 12,
  'agreement.simulation': 9,
  fuzz: 9,
  'stream-reader': 6,
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
