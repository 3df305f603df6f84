import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { createRequire } from 'node:module';
import { freePort } from '@tollgate/testing';
import { RunningServer } from '../../servers/own-server';
import { workspaceRoot } from '../../../stack/workspace-root';
import type { InstalledLitellm } from './install-litellm';

/** LiteLLM's proxy, which answers callers and its administrator. */
export interface LitellmProxy {
  baseUrl: string;
  /** One request of its administrator. @throws Error with what it said, where that is no success */
  administer: (path: string, body: object) => Promise<void>;
  stop: () => Promise<void>;
}

interface Site {
  /** Where its log goes. */
  work: string;
  configFile: string;
  databaseUrl: string;
  /** The one address of all providers. */
  providersUrl: string;
}

const masterKey = 'sk-the-administrator-of-litellm';
const timeoutMs = 60_000;

/** Starts it, and waits until it lists its models. @throws Error with the end of its log */
export async function startLitellm(installed: InstalledLitellm, site: Site): Promise<LitellmProxy> {
  const { folder } = installed;
  const port = await freePort();
  const server = new RunningServer(
    {
      program: join(folder, 'bin/litellm'),
      args: ['--config', site.configFile, '--host', '127.0.0.1', '--port', String(port), '--num_workers', '1'],
      environment: { ...ofDatabase(installed, site.databaseUrl), ...ofProviders(site.providersUrl) },
    },
    { installed: folder, work: site.work, port, others: new Map() },
    'LiteLLM',
    masterKey,
  );
  await server.start();
  return {
    baseUrl: server.url,
    administer: async (path, body) => {
      const answer = await fetch(`${server.url}${path}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${masterKey}`, 'content-type': 'application/json' },
        body: JSON.stringify(body),
        signal: AbortSignal.timeout(timeoutMs),
      });
      const said = await answer.text();
      if (!answer.ok) throw new Error(`LiteLLM's ${path}: ${answer.status} ${said.slice(0, 600)}`);
    },
    stop: () => server.stop(),
  };
}

/** The tables are there: made by its migrations, which it would have Prisma's own schema engine apply. */
function ofDatabase(installed: InstalledLitellm, databaseUrl: string): Record<string, string> {
  const loader = createRequire(join(workspaceRoot, 'package.json')).resolve('tsx');
  return {
    ...{ DATABASE_URL: databaseUrl, DISABLE_SCHEMA_UPDATE: 'true', LITELLM_MASTER_KEY: masterKey },
    ...{ LITELLM_SALT_KEY: 'sk-a-salt', LITELLM_LOCAL_MODEL_COST_MAP: 'True', LITELLM_LOG: 'ERROR' },
    PRISMA_QUERY_ENGINE_BINARY: installed.engine,
    ENGINE_PACKAGES: installed.enginePackages,
    ENGINE_TYPED_ROWS: 'yes',
    ENGINE_NODE: process.execPath,
    ENGINE_LOADER: pathToFileURL(loader).href,
    ENGINE_PROGRAM: join(workspaceRoot, 'tools/prove/come-over/litellm/query-engine.ts'),
  };
}

/** Where each provider is, as LiteLLM reads it, with keys that no simulated one asks for. */
function ofProviders(url: string): Record<string, string> {
  const names = ['OPENAI', 'ANTHROPIC', 'GEMINI', 'MISTRAL', 'XAI', 'DEEPSEEK', 'GROQ', 'OPENROUTER', 'COHERE'];
  return {
    ...Object.fromEntries(
      names.flatMap((name) => [
        [`${name}_API_KEY`, 'none'],
        [`${name}_API_BASE`, `${url}/v1`],
      ]),
    ),
    ...{ ANTHROPIC_API_BASE: url, GEMINI_API_BASE: url, COHERE_API_BASE: `${url}/v2/chat` },
    ...{ AWS_BEDROCK_RUNTIME_ENDPOINT: url, AWS_ACCESS_KEY_ID: 'none', AWS_SECRET_ACCESS_KEY: 'none' },
  };
}
