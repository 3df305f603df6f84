'use strict';
const { relative } = require('node:path');

/** So long may no test file have ended. */
const usualQuietMs = 60_000;

/**
 * Jest's reporter of a run in which no test file has ended for a minute: it names the test that has, once in
 * each such minute. A log without it says nothing for as long as the longest file takes, and who waits
 * (`section.mjs`) could not tell a slow machine from a run that hangs.
 */
module.exports = class Progress {
  constructor(_globalConfig, { quietMs = usualQuietMs } = {}) {
    this.quietMs = quietMs;
    this.saidAt = performance.now();
  }

  onTestResult() {
    this.saidAt = performance.now();
  }

  onTestCaseResult({ path }, { fullName }) {
    const now = performance.now();
    if (now - this.saidAt < this.quietMs) return;
    this.saidAt = now;
    console.log(`… ${relative(process.cwd(), path)} is through with: ${fullName}`);
  }
};
