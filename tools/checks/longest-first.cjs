'use strict';

/**
 * Jest's order of test files: end-to-end tests first, which take longest, then all by their size. What is
 * begun last is small, so that no worker waits for another in the end; nothing has to be kept for it.
 */
module.exports = class LongestFirst {
  sort(tests) {
    return [...tests].sort((one, other) => weight(other) - weight(one));
  }

  /** Jest tells of results, for an order that depends on the last run: this one does not. */
  cacheResults() {}
};

function weight({ path, context }) {
  const size = context.hasteFS.getSize(path);
  return path.endsWith('.e2e.spec.ts') ? size + 1_000_000 : size;
}
