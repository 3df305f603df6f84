'use strict';
const { existsSync, readdirSync } = require('node:fs');

/** Every project that holds tests. */
const folders = ['apps', 'libs']
  .flatMap((group) => readdirSync(`${__dirname}/${group}`).map((name) => `${__dirname}/${group}/${name}`))
  .concat(`${__dirname}/tools`)
  .filter((folder) => existsSync(`${folder}/jest.config.cjs`));

let maxWorkers;
const projects = folders.map((folder) => {
  const { maxWorkers: workers, ...project } = require(`${folder}/jest.config.cjs`);
  maxWorkers = workers;
  return project;
});

/** All projects in one run, which shares its workers and what it compiled: what `npm test` runs. `nx test <project>` runs one alone. */
module.exports = { projects, maxWorkers };
