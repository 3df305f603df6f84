'use strict';

/** How long a run may take to end once all tests are done, milliseconds. */
const usualPatienceMs = 20_000;

/**
 * Jest's reporter of what tests left open. A socket, a timer or a child of a test that ran within Jest's own
 * process would keep that process for ever: it is ended with the result it has, and what held it is named.
 */
module.exports = class Leftovers {
  constructor(_globalConfig, { patienceMs = usualPatienceMs } = {}) {
    this.patienceMs = patienceMs;
  }

  onRunComplete(_contexts, results) {
    const end = () => {
      console.error(`Jest did not end within ${this.patienceMs / 1_000} s of the last test. Left open:\n${leftOpen()}`);
      // Jest judges the run after its reporters.
      process.exit(results.success ? 0 : 1);
    };
    // Does not itself keep the process.
    setTimeout(end, this.patienceMs).unref();
    // Nothing is left to wait for. Node's own clean-up at a natural end was seen to wait for ever, at full
    // load, for a request that nobody answers any more (uv_run under CleanupHandles).
    process.once('beforeExit', () => process.exit());
  }
};

module.exports.leftOpen = leftOpen;

/**
 * A line for each handle, of which Node has a diagnostic list only
 * (https://nodejs.org/api/deprecations.html#dep0161), and one for the kinds of all resources.
 */
function leftOpen() {
  const lines = [...process._getActiveHandles().map(described), process.getActiveResourcesInfo().join(', ')];
  return lines.map((line) => `  ${line}`).join('\n');
}

function described(handle) {
  const kind = handle.constructor?.name ?? typeof handle;
  if (kind === 'ChildProcess') return `${kind} ${handle.pid}: ${(handle.spawnargs ?? []).join(' ')}`;
  if (kind === 'Server') return `${kind} ${JSON.stringify(handle.address?.() ?? null)}`;
  return `${kind} ${handle.localPort ?? ''} ${handle.remoteAddress ?? ''} ${handle.remotePort ?? ''}`.trimEnd();
}
