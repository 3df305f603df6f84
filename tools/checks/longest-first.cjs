'use strict';

/**
 * Seconds that the long test files take on two quiet cores. Jest would begin with the largest, and end with
 * one worker waiting for the other.
 */
const seconds = {
  'dashboard.e2e': 120,
  'plain.e2e': 90,
  'hostile.e2e': 90,
  'resilience.e2e': 80,
  'outages.e2e': 60,
  'dashboard-records.e2e': 55,
  'canary.e2e': 55,
  'start.e2e': 50,
  'outages.integration': 36,
  'catalog.integration': 28,
  'changes.integration': 28,
  'surfaces.integration': 28,
  'faults.integration': 27,
  replay: 30,
  fuzz: 24,
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
