'use strict';
const { readFileSync } = require('node:fs');
const { paths } = require('./tsconfig.base.json').compilerOptions;

/** Jest resolves the workspace's libraries from their sources, as TypeScript does. */
const libraries = Object.fromEntries(
  Object.entries(paths).map(([name, [target]]) => [`^${name}$`, `${__dirname}/${target.slice(2)}`]),
);
const moduleNameMapper = { ...libraries, '^fast-check$': `${__dirname}/tools/checks/fixed-draws.cjs` };

const compile = (parser, lazy = false) => [
  '@swc/jest',
  {
    jsc: {
      target: 'es2022',
      keepClassNames: true,
      parser,
      transform: { legacyDecorator: true, decoratorMetadata: true },
    },
    module: { type: 'commonjs', lazy },
    // A file of their own: within the code, they are read again with each test file that loads it.
    sourceMaps: true,
  },
];

/**
 * The entry of a library names all it has, and a unit test needs a function or two of it: each file behind
 * it is loaded when something of it is used, but a file that has one name there as a whole. Not so in other
 * tests: loading would hold up servers that run.
 */
const lazyEntries = Object.fromEntries(
  Object.values(libraries).map((entry) => {
    const files = [...readFileSync(entry, 'utf8').matchAll(/(?<!\* as \w+) from '(\.[^']+)';/g)].map(
      ([, file]) => file,
    );
    return [`^${entry.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')}$`, compile({ syntax: 'typescript' }, files)];
  }),
);

/**
 * Packages that come as ES modules only, or load some with import(): Node 20.19 takes them as they are, Jest
 * does not.
 */
const esModules = '/node_modules/(openid-client|oauth4webapi|jose|@opentelemetry/otlp-exporter-base)/';

/** What the files of a kind end with, as part of an expression. */
const endings = {
  unit: 'spec',
  integration: 'integration.spec',
  e2e: 'e2e.spec',
  servers: '(integration|e2e).spec',
  proof: 'proof.spec',
};

/**
 * One configuration for every project: `kind` picks which tests run.
 * unit: no I/O. integration: starts its own NATS or Postgres. e2e: drives the whole stack. servers: both of
 * these. proof: a short form of `npm run prove`, beside nothing that takes from it what it needs.
 */
module.exports = (rootDir, displayName) => {
  const kind = process.env.TEST_KIND ?? 'unit';
  return {
    displayName,
    rootDir,
    runtime: `${__dirname}/tools/checks/shared-scripts.cjs`,
    testEnvironment: `${__dirname}/tools/checks/one-realm.cjs`,
    // A whole stack, and the proxies and browsers beside it, may take its time to close.
    testEnvironmentOptions: { closes: '(?<!\\.(e2e|proof))\\.spec\\.tsx?$' },
    testRegex: `\\.${endings[kind].replaceAll('.', '\\.')}\\.ts$`,
    testPathIgnorePatterns: [
      '/node_modules/',
      '/dist/',
      ...(kind === 'unit' ? ['\\.(integration|e2e|proof)\\.spec\\.ts$'] : []),
    ],
    // Long enough for a machine that does other things too: a test that hangs is ended, none is judged by it.
    testTimeout: 300_000,
    // Most tests with servers wait more than they compute: three at once would leave two cores idle for a
    // third of the time. The longest begin together, and are what a busy machine is felt by.
    maxWorkers: { proof: 1, unit: 2, servers: 4 }[kind] ?? 3,
    moduleNameMapper,
    transform: {
      ...(kind === 'unit' ? lazyEntries : {}),
      '^.+\\.[cm]?ts$': compile({ syntax: 'typescript', decorators: true }),
      [`${esModules}.+\\.js$`]: compile({ syntax: 'ecmascript' }),
    },
    transformIgnorePatterns: [`^(?!.*${esModules}).*/node_modules/`],
  };
};
