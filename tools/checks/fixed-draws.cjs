'use strict';
const { default: fc, ...others } = require('../../node_modules/fast-check/lib/cjs/fast-check.js');

/**
 * What tests know as fast-check. The gate judges a change by the same draws each time: what fails there was
 * made to fail by the change. `FC_SEED=random` draws others each time, to look for what nobody has thought
 * of (`npm run test:properties`), and `FC_SEED=<number>` those of a run that failed, which tells its number.
 */
const { FC_SEED: asked = '20260107' } = process.env;
if (asked !== 'random' && !/^-?\d+$/.test(asked))
  throw new Error(`FC_SEED is neither "random" nor a whole number: ${JSON.stringify(asked)}`);
if (asked !== 'random') fc.configureGlobal({ seed: Number(asked) });

module.exports = { ...others, default: fc, __esModule: true };
