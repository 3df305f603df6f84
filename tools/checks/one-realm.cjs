'use strict';
const { createRequire } = require('node:module');
const { setTimeout: sleep } = require('node:timers/promises');
const { createContext } = require('node:vm');
const { leftOpen } = require('./leftovers.cjs');

/** What Jest's own environment is made of. */
const ofNodes = createRequire(require.resolve('jest-environment-node'));
const { LegacyFakeTimers, ModernFakeTimers } = ofNodes('@jest/fake-timers');
const { ModuleMocker } = ofNodes('jest-mock');

/** That of Node: test files have one of their own in its place, for as long as they run. */
const own = process;
let isHeard = false;

const timerNames = ['setTimeout', 'setInterval', 'setImmediate'];
/** What makes timers, as Node has it, by where it stands: fake timers take the place of all of it. */
const makers = new Map(
  [globalThis, require('node:timers'), require('node:timers/promises')].map((holder) => [
    holder,
    timerNames.map((name) => [name, holder[name]]),
  ]),
);

/** How long what a test file opened may take to close when it is over, milliseconds. */
const closingMs = 20_000;

/** As Jest's own environment has it: https://jestjs.io/docs/jest-object#fake-timers */
const timerConfig = {
  idToRef(id) {
    const timer = { id, ref: () => timer, unref: () => timer };
    return timer;
  },
  refToId: (timer) => timer?.id,
};

/**
 * Node's environment, without a realm for each test file: what a package loaded is the same for all test
 * files of a process then, as Node's modules are (see shared-scripts.cjs), and an error of either is an Error
 * to a test. Globals, variables of the environment, spies and listeners of a test file end with it.
 * Jest ends a worker that does not end by itself half a second after its last test: such a worker says first
 * what held it. A test file that leaves something open fails, where its path matches the option `closes`, a
 * pattern. In the process of Jest itself a timer may hide behind one of Jest's own that has ended meanwhile.
 */
class OneRealm {
  constructor({ projectConfig }, { testPath }) {
    hearTheEnd();
    const { closes } = projectConfig.testEnvironmentOptions;
    this.openBefore = closes && new RegExp(closes).test(testPath) ? own.getActiveResourcesInfo() : null;
    this.global = globalThis;
    this.kept = new Kept();
    this.timers = new Map([...makers].map(([holder, ofNode]) => [holder, this.makersOf(holder, ofNode)]));
    // As Jest's own does it: what a test sets of it, fake timers too, is not Node's.
    globalThis.process = Object.assign(Object.create(own), { env: { ...own.env } });
    // Node has a getter there, which no test can replace.
    Object.defineProperty(globalThis, 'performance', { value: performance, writable: true, configurable: true });
    const [config, global] = [projectConfig, globalThis];
    this.moduleMocker = new ModuleMocker(global);
    this.fakeTimers = new LegacyFakeTimers({ config, global, moduleMocker: this.moduleMocker, timerConfig });
    this.fakeTimersModern = new ModernFakeTimers({ config, global });
  }

  exportConditions() {
    return ['node', 'node-addons'];
  }

  get isOver() {
    return this.kept === null;
  }

  /**
   * What makes timers for the files that this test file runs. What is left of them when it is over, such as
   * work that a timer begins again and again, has those of Node, and none of the fake ones of the next file.
   */
  makersOf(holder, ofNode) {
    const all = ofNode.map(([name, make]) => {
      const ofFile = (...given) => (this.isOver ? make : holder[name])(...given);
      return [name, Object.defineProperties(ofFile, Object.getOwnPropertyDescriptors(make))];
    });
    return Object.assign(Object.create(holder === globalThis ? null : holder), Object.fromEntries(all));
  }

  /** A module of Node's, as the files of this test file have it. */
  ofFile(module) {
    return this.timers.get(module) ?? module;
  }

  /** Asked for by Jest where a file cannot be compiled, to say why. */
  getVmContext() {
    return createContext();
  }

  async setup() {}

  /** Beside a failure stands what the test file has to tell of it: the functions in `tellAtFailure` do. */
  async handleTestEvent({ name, error }) {
    if (name !== 'test_fn_failure' && name !== 'hook_failure') return;
    const told = await Promise.all((globalThis.tellAtFailure ?? []).map((tell) => tell().catch(String)));
    if (told.length === 0 || !(error instanceof Error)) return;
    const before = error.message;
    error.message = [before, ...told].join('\n');
    error.stack = error.stack?.replace(before, () => error.message);
  }

  async teardown() {
    this.moduleMocker.restoreAllMocks();
    this.fakeTimers?.dispose();
    this.fakeTimersModern?.dispose();
    this.kept?.putBack();
    globalThis.process = own;
    Object.assign(this, { fakeTimers: null, fakeTimersModern: null, kept: null });
    if (this.openBefore) await closed(this.openBefore);
  }
}
module.exports = OneRealm;
module.exports.timerNames = timerNames;

/**
 * Resolves as soon as nothing holds this process but what did before.
 * @throws Error naming what does for longer than it may take to close.
 */
async function closed(before) {
  const until = performance.now() + closingMs;
  for (let open = since(before); open.length > 0; open = since(before)) {
    if (performance.now() > until)
      throw new Error(`This test file leaves open: ${open.join(', ')}. Of all:\n${leftOpen()}`);
    await sleep(10);
  }
}

/** The kinds of what holds this process and did not before. */
function since(before) {
  const known = [...before];
  return own.getActiveResourcesInfo().filter((kind) => {
    const at = known.indexOf(kind);
    if (at >= 0) known.splice(at, 1);
    return at < 0;
  });
}

function hearTheEnd() {
  // One of this process is enough, and the process of Jest itself is ended by others.
  if (isHeard || own.send === undefined) return;
  isHeard = true;
  // Nothing is left to wait for, and Node's own clean-up may take longer than Jest waits: see leftovers.cjs.
  own.once('beforeExit', () => own.exit());
  own.once('SIGTERM', () => {
    console.error(`Jest's worker ${own.pid} did not end by itself. Left open:\n${leftOpen()}`);
    own.exit();
  });
}

/** What Jest keeps there for the tests of one file. */
const ofJest = ['EVENT_HANDLERS', 'RETRY_TIMES', 'TEST_TIMEOUT_SYMBOL'].map((name) => Symbol.for(name));

function isSame(one, other) {
  return one.value === other?.value && one.get === other?.get;
}

/** What there is now of globals, and of listeners of Node's process. */
class Kept {
  globals = Object.getOwnPropertyDescriptors(globalThis);
  listeners = new Map(own.eventNames().map((name) => [name, own.rawListeners(name)]));

  /**
   * Loads a package, which stays for other test files: among what is Node's, whatever this one has in its
   * place (fake timers, a variable of the environment). Globals that it sets are its own, for as long as it is
   * loaded.
   */
  with(load) {
    const ofTests = this.replaced();
    const { process: ofFile } = globalThis;
    for (const [key, { before }] of ofTests) Object.defineProperty(globalThis, key, before);
    globalThis.process = own;
    const known = Object.getOwnPropertyDescriptors(globalThis);
    try {
      return load();
    } finally {
      for (const key of Reflect.ownKeys(globalThis)) {
        const now = Object.getOwnPropertyDescriptor(globalThis, key);
        if (!isSame(now, known[key])) this.globals[key] = now;
      }
      for (const [key, { now }] of ofTests) Object.defineProperty(globalThis, key, now);
      globalThis.process = ofFile;
    }
  }

  /** By its name what of Node's, or of a package, has something else in its place. */
  replaced() {
    const all = Reflect.ownKeys(this.globals).map((key) => {
      return [key, { before: this.globals[key], now: Object.getOwnPropertyDescriptor(globalThis, key) }];
    });
    return all.filter(([, { before, now }]) => now?.configurable && !isSame(now, before));
  }

  putBack() {
    for (const key of Reflect.ownKeys(globalThis)) {
      const isOfTests = typeof key === 'string' || ofJest.includes(key) || key.description === 'JEST_STATE_SYMBOL';
      const now = Object.getOwnPropertyDescriptor(globalThis, key);
      const known = this.globals[key];
      if (isSame(now, known) || !now.configurable) continue;
      if (known) Object.defineProperty(globalThis, key, known);
      else if (isOfTests) delete globalThis[key];
    }
    // What ends servers with this process stays.
    for (const name of own.eventNames().filter((one) => one !== 'exit'))
      for (const listener of own.rawListeners(name))
        if (!this.listeners.get(name)?.includes(listener)) own.removeListener(name, listener);
  }
}
