'use strict';

/**
 * Seconds that the long test files take on two quiet cores. Jest would begin with the largest, and end with
 * one worker waiting for the other.
 */
const seconds = {
  'hostile.e2e': 158,
  'dashboard.e2e': 119,
  'outages.e2e': 90,
  'charges.e2e': 79,
  'dashboard-work.e2e': 72,
  'plain.e2e': 72,
  'resilience.e2e': 71,
  'background.e2e': 63,
  'dashboard-records.e2e': 49,
  'dashboard-people.e2e': 48,
  'canary.e2e': 45,
  'start.e2e': 36,
  'own-servers.e2e': 36,
  'release.e2e': 30,
  'own-provider.e2e': 28,
  'outages.integration': 68,
  'first-start.integration': 34,
  'usage.integration': 32,
  'changes.integration': 31,
  'catalog.integration': 30,
  'faults.integration': 29,
  'generation.integration': 24,
  'surfaces.integration': 22,
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
