'use strict';
const { existsSync, readdirSync } = require('node:fs');
const preset = require('./jest.preset.cjs');

/** Compiles JSX and knows a browser's page: not as all others. */
const dashboard = require('./apps/dashboard/jest.config.cjs');

/** Every other project that holds tests. */
const roots = ['apps', 'libs']
  .flatMap((group) => readdirSync(`${__dirname}/${group}`).map((name) => `${__dirname}/${group}/${name}`))
  .concat(`${__dirname}/tools`)
  .filter((folder) => folder !== dashboard.rootDir && existsSync(`${folder}/jest.config.cjs`));

/** What Jest takes for a whole run only. */
const { maxWorkers, testTimeout, ...servers } = preset(__dirname, 'servers');
const { maxWorkers: _, testTimeout: __, ...page } = dashboard;

/**
 * All tests in one run: what `npm test` runs. `nx test <project>` runs those of one project.
 * Jest compiles and resolves for each of its projects anew: all of the gateway's code is one to it.
 */
module.exports = {
  projects: [{ ...servers, roots }, page],
  maxWorkers,
  testTimeout,
  // Half a second by default, in which a worker on a busy machine may not even have its turn.
  workerGracefulExitTimeout: 5_000,
  testSequencer: `${__dirname}/tools/checks/longest-first.cjs`,
  reporters: [
    'default',
    ...['leftovers', 'failed-tests', 'progress'].map((name) => `${__dirname}/tools/checks/${name}.cjs`),
  ],
};
