'use strict';
const { default: Runtime } = require('jest-runtime');
const { Script } = require('node:vm');
const { timerNames } = require('./one-realm.cjs');

/** What each file was compiled to, by its path: for all test files of this process. */
const compiled = new Map();

/** Jest's own stay with each test file: they know of its tests. */
const ofJest = /\/node_modules\/(?:@jest\/|jest-|expect\/)/;

/**
 * Jest's runtime compiles a file anew for each test file that loads it, and that is a fifth of all work where
 * each loads a thousand. This one compiles it once in a process. It is run anew as ever, but not what
 * packages hold: that is loaded once, by Node, as in a service.
 */
module.exports = class extends Runtime {
  constructor(...given) {
    super(...given);
    const { executor, cjsLoader, coreModule, _environment: environment } = this;
    const coreOfNode = coreModule.require.bind(coreModule);
    coreModule.require = (name) => environment.ofFile(coreOfNode(name));
    const compileAnew = executor.compile.bind(executor);
    executor.compile = (source, path) => {
      if (environment.isOver) return null;
      const known = compiled.get(path);
      const script =
        known?.source === source ? known.script : scriptOf(source, path, executor.injectedModuleParameters);
      // Jest says itself what is wrong.
      if (!script) return compileAnew(source, path);
      compiled.set(path, { source, script });
      return script.runInThisContext()(environment.timers.get(globalThis));
    };
    const loadAnew = cjsLoader.loadModule.bind(cjsLoader);
    cjsLoader.loadModule = (module, from, name, path, options, registry) => {
      if (options?.isInternalModule || !path.includes('/node_modules/') || ofJest.test(path))
        return loadAnew(module, from, name, path, options, registry);
      module.exports = path in require.cache ? require(path) : environment.kept.with(() => require(path));
      module.loaded = true;
    };
  }
};

/** Null: its text is none that can be compiled. */
function scriptOf(source, path, parameters) {
  try {
    // Above the first line, so that everything stands where it stood; in brackets: V8 compiles it at once.
    const withTimers = `(function ({ ${timerNames.join(', ')} }) { return (function (${parameters.join(', ')}) {\n${source}\n}); })`;
    return new Script(withTimers, { filename: path, lineOffset: -1 });
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}
