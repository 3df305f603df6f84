'use strict';
const { existsSync, readdirSync } = require('node:fs');

/** Every project that holds tests. */
const folders = ['apps', 'libs']
  .flatMap((group) => readdirSync(`${__dirname}/${group}`).map((name) => `${__dirname}/${group}/${name}`))
  .concat(`${__dirname}/tools`)
  .filter((folder) => existsSync(`${folder}/jest.config.cjs`));

/** What Jest takes for a whole run only. */
const run = {};
const projects = folders.map((folder) => {
  const { maxWorkers, testTimeout, ...project } = require(`${folder}/jest.config.cjs`);
  Object.assign(run, { maxWorkers, testTimeout: Math.max(testTimeout, run.testTimeout ?? 0) });
  return project;
});

/**
 * All projects in one run, which shares its workers and what it compiled: what `npm test` runs.
 * `nx test <project>` runs one alone.
 */
module.exports = {
  projects,
  ...run,
  testSequencer: `${__dirname}/tools/checks/longest-first.cjs`,
  reporters: ['default', `${__dirname}/tools/checks/leftovers.cjs`, `${__dirname}/tools/checks/failed-tests.cjs`],
};
