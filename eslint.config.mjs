import js from '@eslint/js';
import nx from '@nx/eslint-plugin';
import jsxA11y from 'eslint-plugin-jsx-a11y';
import reactHooks from 'eslint-plugin-react-hooks';
import tseslint from 'typescript-eslint';

const only = (sourceTag, ...tags) => ({ sourceTag, onlyDependOnLibsWithTags: tags });

export default tseslint.config(
  { ignores: ['**/dist/**', '**/generated/**', '**/node_modules/**', '.nx/**', '.tollgate/**', '**/*.cjs'] },
  js.configs.recommended,
  {
    files: ['**/*.{ts,tsx}'],
    extends: [...tseslint.configs.recommendedTypeChecked],
    languageOptions: {
      parserOptions: {
        // Two programs for the whole repository. The project service would keep one for each project: more than twice the time, and more memory than Node has.
        project: ['tsconfig.node.json', 'apps/dashboard/tsconfig.json'],
        tsconfigRootDir: import.meta.dirname,
      },
    },
    rules: {
      '@typescript-eslint/no-explicit-any': 'error',
      '@typescript-eslint/no-non-null-assertion': 'error',
      '@typescript-eslint/no-floating-promises': 'error',
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', ignoreRestSiblings: true }],
      '@typescript-eslint/consistent-type-imports': [
        'error',
        { fixStyle: 'separate-type-imports', disallowTypeAnnotations: false },
      ],
      '@typescript-eslint/require-await': 'off',
      '@typescript-eslint/no-extraneous-class': 'off',
      'no-restricted-exports': ['error', { restrictDefaultExports: { direct: true, named: true } }],
      'no-restricted-syntax': ['error', { selector: 'ExportAllDeclaration', message: 'Name what a library exports.' }],
      'max-lines': ['error', { max: 400, skipBlankLines: false, skipComments: false }],
    },
  },
  {
    // Nest reads constructor parameter types at run time, so imports that look type-only must stay real there.
    files: ['apps/**/*.ts'],
    ignores: ['apps/dashboard/**'],
    rules: { '@typescript-eslint/consistent-type-imports': 'off' },
  },
  {
    files: ['**/*.spec.{ts,tsx}', 'libs/testing/**/*.ts', 'tools/e2e/plain/*.ts'],
    rules: {
      '@typescript-eslint/no-unsafe-assignment': 'off',
      '@typescript-eslint/no-unsafe-member-access': 'off',
      '@typescript-eslint/unbound-method': 'off',
    },
  },
  {
    files: ['**/*.mjs'],
    languageOptions: {
      globals: {
        process: 'readonly',
        console: 'readonly',
        URL: 'readonly',
        setTimeout: 'readonly',
        clearTimeout: 'readonly',
      },
    },
  },
  { files: ['**/*.config.ts', '*.config.mjs'], rules: { 'no-restricted-exports': 'off' } },
  {
    files: ['apps/**/*.{ts,tsx}', 'libs/**/*.ts', 'tools/**/*.ts'],
    plugins: { '@nx': nx },
    rules: {
      '@nx/enforce-module-boundaries': [
        'error',
        {
          enforceBuildableLibDependency: false,
          allowCircularSelfDependency: true,
          allow: [],
          depConstraints: [
            only('type:app', 'type:lib'),
            only('type:tool', 'type:lib'),
            only('type:lib', 'type:lib'),
            only('scope:contracts'),
            only('scope:configuration', 'scope:contracts', 'scope:guardrails'),
            only('scope:guardrails', 'scope:contracts'),
            {
              ...only('scope:dialects', 'scope:contracts'),
              bannedExternalImports: ['@nestjs/*', 'nats', '@prisma/*', 'pg', 'undici'],
            },
            {
              ...only('scope:providers', 'scope:contracts'),
              bannedExternalImports: ['@nestjs/*', 'nats', '@prisma/*', 'pg', 'undici'],
            },
            only('scope:messaging', 'scope:contracts', 'scope:observability', 'scope:testing'),
            {
              ...only('scope:observability', 'scope:contracts', 'scope:testing'),
              bannedExternalImports: ['@prisma/*', 'pg', 'nats'],
            },
            only('scope:database', 'scope:contracts', 'scope:observability', 'scope:testing'),
            only('scope:testing', 'scope:contracts'),
            {
              ...only(
                'scope:edge',
                'scope:contracts',
                'scope:configuration',
                'scope:messaging',
                'scope:observability',
                'scope:dialects',
                'scope:guardrails',
                'scope:testing',
              ),
              bannedExternalImports: ['@prisma/*', 'pg'],
            },
            {
              ...only(
                'scope:inference',
                'scope:contracts',
                'scope:configuration',
                'scope:messaging',
                'scope:observability',
                'scope:dialects',
                'scope:guardrails',
                'scope:providers',
                'scope:testing',
              ),
              bannedExternalImports: ['@prisma/*', 'pg'],
            },
            only(
              'scope:catalog',
              'scope:contracts',
              'scope:configuration',
              'scope:messaging',
              'scope:observability',
              'scope:database',
              'scope:providers',
              'scope:testing',
            ),
            only(
              'scope:accounts',
              'scope:contracts',
              'scope:configuration',
              'scope:messaging',
              'scope:observability',
              'scope:database',
              'scope:testing',
            ),
            only(
              'scope:metering',
              'scope:contracts',
              'scope:configuration',
              'scope:messaging',
              'scope:observability',
              'scope:database',
              'scope:testing',
            ),
            {
              ...only(
                'scope:sandbox',
                'scope:contracts',
                'scope:configuration',
                'scope:observability',
                'scope:dialects',
                'scope:testing',
              ),
              bannedExternalImports: ['@prisma/*', 'pg', 'nats'],
            },
            {
              ...only('scope:dashboard', 'scope:contracts'),
              bannedExternalImports: ['@nestjs/*', 'nats', '@prisma/*', 'pg'],
            },
            only('scope:tools', 'type:lib'),
          ],
        },
      ],
    },
  },
  {
    // Edge knows the surfaces that callers speak, never the provider side of a dialect.
    files: ['apps/edge/**/*.ts'],
    rules: {
      'no-restricted-imports': [
        'error',
        { paths: [{ name: '@tollgate/dialects', message: 'Edge imports @tollgate/dialects/surface only.' }] },
      ],
    },
  },
  {
    // What browsers run: hooks in order, and nothing that a keyboard or a screen reader cannot use.
    files: ['apps/dashboard/**/*.{ts,tsx}'],
    extends: [reactHooks.configs.flat.recommended, jsxA11y.flatConfigs.recommended],
    rules: { 'max-lines': ['error', { max: 300 }] },
  },
  {
    files: ['apps/dashboard/public/*.js'],
    languageOptions: { globals: { document: 'readonly', localStorage: 'readonly' } },
  },
);
