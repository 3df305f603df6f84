'use strict';
const { TestEnvironment } = require('jest-environment-node');
const { leftOpen } = require('./leftovers.cjs');

let isHeard = false;

/**
 * Node's environment. Jest ends a worker that does not end by itself half a second after its last test: such
 * a worker says first what held it.
 * Node's modules are the same for all test files of a process: no spy of one stays on them for the next.
 */
module.exports = class extends TestEnvironment {
  constructor(config, context) {
    super(config, context);
    // One of this process is enough, and the process of Jest itself is ended by others.
    if (isHeard || process.send === undefined) return;
    isHeard = true;
    // Nothing is left to wait for, and Node's own clean-up may take longer than Jest waits: see leftovers.cjs.
    process.once('beforeExit', () => process.exit());
    process.once('SIGTERM', () => {
      console.error(`Jest's worker ${process.pid} did not end by itself. Left open:\n${leftOpen()}`);
      process.exit();
    });
  }

  async teardown() {
    this.moduleMocker?.restoreAllMocks();
    await super.teardown();
  }
};
