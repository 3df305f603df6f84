import { chmodSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { attempt, installFromPyPI, shelve } from '../../clients/install';

export const litellmVersion = '1.106.2';
/** Its client for a database, as LiteLLM's own image has it, and the engine that this client asks. */
const prismaForPython = 'prisma==0.11.0';
const engine = '5.22.0';
const enginePackages = [`@prisma/client@${engine}`, `@prisma/adapter-pg@${engine}`, 'pg@8.23.1'];

/** Where LiteLLM's proxy was installed. */
export interface InstalledLitellm {
  folder: string;
  /** The program that its client starts as an engine. */
  engine: string;
  /** The folder that holds the packages of the engine. */
  enginePackages: string;
}

/**
 * LiteLLM's proxy with a client for its database. What Prisma would fetch as a binary, which no registry has,
 * is its engine in WebAssembly.
 * @throws AbsentError
 */
export async function installLitellm(): Promise<InstalledLitellm> {
  const folder = await shelve(`litellm-proxy-${litellmVersion}-with-database`, fill);
  return placesOf(folder);
}

function placesOf(folder: string): InstalledLitellm {
  return { folder, engine: join(folder, 'query-engine'), enginePackages: join(folder, 'engine') };
}

async function fill(folder: string): Promise<void> {
  const places = placesOf(folder);
  await installFromPyPI(folder, [`litellm[proxy]==${litellmVersion}`, prismaForPython]);
  mkdirSync(places.enginePackages);
  writeFileSync(join(places.enginePackages, 'package.json'), '{"private":true}');
  const install = ['install', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
  await attempt('npm', [...install, ...enginePackages], places.enginePackages);
  // Who only asks for its version is not kept waiting.
  const script = [
    '#!/bin/sh',
    'if [ "$1" = --version ]; then echo query-engine wasm; exit; fi',
    'exec "$ENGINE_NODE" --import "$ENGINE_LOADER" "$ENGINE_PROGRAM" "$@"',
  ];
  writeFileSync(places.engine, `${script.join('\n')}\n`);
  chmodSync(places.engine, 0o755);
  await attempt(join(folder, 'bin/prisma'), ['generate', '--schema', schemaIn(folder)], folder, {
    environment: {
      PATH: [join(folder, 'bin'), process.env.PATH].join(delimiter),
      PRISMA_BINARY_CACHE_DIR: join(folder, 'prisma-cli'),
      PRISMA_QUERY_ENGINE_BINARY: places.engine,
      // Nothing of it is needed to write the client, but it would be fetched.
      PRISMA_SCHEMA_ENGINE_BINARY: places.engine,
      PRISMA_HIDE_UPDATE_MESSAGE: 'true',
      CHECKPOINT_DISABLE: '1',
      // The Prisma that it installs for this would fetch engines.
      npm_config_ignore_scripts: 'true',
    },
  });
}

function schemaIn(folder: string): string {
  return join(sitePackages(folder), 'litellm_proxy_extras/schema.prisma');
}

/** Where a Python of its own keeps its packages. */
export function sitePackages(folder: string): string {
  const library = join(folder, 'lib');
  const python = readdirSync(library).find((name) => name.startsWith('python')) ?? '';
  return join(library, python, 'site-packages');
}
