const preset = require('../../jest.preset.cjs')(__dirname, 'dashboard');

/** As everywhere, and besides JSX; styles are no concern of these tests. */
module.exports = {
  ...preset,
  testRegex: preset.testRegex.replace('\\.ts$', '\\.tsx?$'),
  moduleNameMapper: { ...preset.moduleNameMapper, '\\.css$': `${__dirname}/testing/no-styles.cjs` },
  transform: {
    '^.+\\.tsx?$': [
      '@swc/jest',
      {
        jsc: {
          target: 'es2022',
          parser: { syntax: 'typescript', tsx: true },
          transform: { react: { runtime: 'automatic' } },
        },
        module: { type: 'commonjs' },
        sourceMaps: true,
      },
    ],
  },
};
