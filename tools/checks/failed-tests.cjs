'use strict';
const { appendFileSync, existsSync, readFileSync } = require('node:fs');
const { relative } = require('node:path');

/** A log in the cloud shows only its end: what is told there of a failed test is bounded. */
const mostLines = 15;
const mostColumns = 200;
/** So many are told with what was wrong, the others by name. */
const mostTold = 20;
// eslint-disable-next-line no-control-regex -- the escape character is what colours are made of
const colours = /\u001b\[[0-9;]*m/g;

/**
 * Jest's reporter of what failed: a line of JSON for each failed test, as soon as its file is through, at the
 * end of the file that FAILED_TESTS_FILE names. Without that variable it says nothing.
 */
module.exports = class FailedTests {
  onTestResult(_test, { testFilePath, testResults, testExecError, failureMessage }) {
    const file = process.env.FAILED_TESTS_FILE;
    if (!file) return;
    const path = relative(process.cwd(), testFilePath);
    const failed = testResults
      .filter(({ status }) => status === 'failed')
      .map(({ fullName, failureMessages }) => ({ path, name: fullName, message: failureMessages.join('\n') }));
    // A file that does not even compile has no tests.
    if (testExecError && failed.length === 0) failed.push({ path, name: 'does not run', message: failureMessage });
    for (const each of failed) appendFileSync(file, `${JSON.stringify(each)}\n`);
  }
};

/** What a run has written: none where there is no such file. */
module.exports.readFailedTests = (file) =>
  existsSync(file)
    ? readFileSync(file, 'utf8')
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line))
    : [];

/** Lines for people: each failed test with its file, and the beginning of what was wrong. */
module.exports.failureLines = (failed) =>
  failed.flatMap(({ path, name, message }, index) => [
    `  ${path}: ${name}`,
    ...(index < mostTold ? beginningOf(message).map((line) => `      ${line}`) : []),
  ]);

function beginningOf(message) {
  return message
    .replace(colours, '')
    .trim()
    .split('\n')
    .slice(0, mostLines)
    .map((line) => line.slice(0, mostColumns).trimEnd());
}
