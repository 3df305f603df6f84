'use strict';
const { default: fc, ...others } = require('../../node_modules/fast-check/lib/cjs/fast-check.js');

/**
 * What tests know as fast-check. The gate judges a change by the same draws each time: what fails there was
 * made to fail by the change. `FC_SEED` draws others, to look for what nobody has thought of.
 */
fc.configureGlobal({ seed: Number(process.env.FC_SEED ?? 20_260_107) });

module.exports = { ...others, default: fc, __esModule: true };
