import { GatewayError } from '@tollgate/contracts';
import { providerDefinition } from '@tollgate/contracts/catalog';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { model, snapshot } from '../testing/catalog-fixture';
import { FakeClock } from '../testing/fake-clock';
import { ModelCatalog } from './model-catalog';

/** What of the seed names depend on. */
const seedFile = z.object({
  provider: z.string(),
  models: z.array(
    z.object({
      id: z.string(),
      upstreamModel: z.string().optional(),
      kind: z.enum(['generation', 'embedding', 'rerank']).default('generation'),
      created: z.string().optional(),
      aliases: z.array(z.string()).default([]),
      retirement: z.looseObject({ date: z.string().optional() }).optional(),
    }),
  ),
  gone: z
    .array(z.object({ names: z.array(z.string()), date: z.string().optional(), successor: z.string().optional() }))
    .default([]),
});
const folder = join(__dirname, '../../../../prisma/seed/models');
const files = readdirSync(folder).map((file) => seedFile.parse(JSON.parse(readFileSync(join(folder, file), 'utf8'))));
const makes: Record<string, string[]> = {
  anthropic: ['claude-'],
  openai: ['gpt-', 'o3', 'o4', 'text-embedding-'],
  google: ['gemini-', 'gemma-'],
  deepseek: ['deepseek-'],
  mistral: ['mistral-', 'codestral-'],
  moonshot: ['kimi-'],
  zai: ['glm-'],
  xai: ['grok-'],
  alibaba: ['qwen'],
};
const models = files.flatMap(({ provider, models: listed }) =>
  listed.map(({ id, upstreamModel, kind, created, aliases, retirement }) =>
    model(id, {
      ...{ provider, kind, created: created ? Date.parse(created) / 1_000 : 0 },
      aliases,
      deployments: [{ id, provider, upstreamModel: upstreamModel ?? id.slice(provider.length + 1) }],
      retirement: retirement
        ? { deprecated: null, date: null, successor: null, redirects: false, ...retirement }
        : null,
    }),
  ),
);
const providers = [...new Set(files.map(({ provider }) => provider))].map((id) =>
  providerDefinition.parse({
    id,
    name: id,
    dialect: 'openai-chat',
    baseUrl: `https://${id}.test`,
    apiKeyEnv: [],
    makes: makes[id] ?? [],
  }),
);
const retiredNames = files.flatMap(({ provider, gone }) =>
  gone.flatMap(({ names, date = null, successor = null }) =>
    names.flatMap((name) => [name, `${provider}/${name}`]).map((name) => ({ name, date, successor })),
  ),
);

/**
 * What a name leads to on 22 November 2026 with every provider's key in place: an id, or what the 404 says
 * behind the name.
 */
function leadsTo(name: string, live: (provider: string) => boolean = () => true): string {
  const catalog = new ModelCatalog(new FakeClock(Date.UTC(2026, 10, 22)));
  const available = models.filter(({ provider }) => live(provider)).map(({ id }) => id);
  catalog.use({ ...snapshot, providers, models, available, retiredNames });
  try {
    return catalog.resolve(name, { models: [] }).model.id;
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error;
    return `${error.status} ${error.message.replace(/^The model "[^"]*" | GET \/v1\/models lists what there is\.$/g, '')}`;
  }
}

describe('what agents and clients ask for by default', () => {
  // Claude Code, Codex, Gemini CLI, qwen-code, opencode, Cline, Continue, aider, Roo Code, Goose, Zed,
  // LibreChat, LangChain and LlamaIndex, by their sources of 2026.
  it.each([
    ['claude-fable-5-2', 'anthropic/claude-fable-5-2'],
    ['claude-fable-5-1', 'anthropic/claude-fable-5-1'],
    ['claude-fable-5', 'anthropic/claude-fable-5'],
    ['claude-opus-5-5', 'anthropic/claude-opus-5-5'],
    ['claude-opus-5', 'anthropic/claude-opus-5'],
    ['claude-opus-5[1m]', 'anthropic/claude-opus-5'],
    ['claude-opus-4-8', 'anthropic/claude-opus-4-8'],
    ['claude-opus-4-7', 'anthropic/claude-opus-4-7'],
    ['claude-opus-4-6', 'anthropic/claude-opus-4-6'],
    ['claude-opus-4-5-20251101', 'anthropic/claude-opus-4-5'],
    ['claude-sonnet-5-5', 'anthropic/claude-sonnet-5-5'],
    ['claude-sonnet-5', 'anthropic/claude-sonnet-5'],
    ['claude-sonnet-4-6', 'anthropic/claude-sonnet-4-6'],
    ['claude-sonnet-4-5', 'anthropic/claude-sonnet-4-5'],
    ['claude-sonnet-4-5-20250929', 'anthropic/claude-sonnet-4-5'],
    ['claude-sonnet-4-5@20250929', 'vertex-anthropic/claude-sonnet-4-5'],
    ['anthropic/claude-sonnet-4.5', 'anthropic/claude-sonnet-4-5'],
    ['claude-haiku-5-5', 'anthropic/claude-haiku-5-5'],
    ['claude-haiku-4-5', 'anthropic/claude-haiku-4-5'],
    ['claude-haiku-4-5-20251001', 'anthropic/claude-haiku-4-5'],
    [
      'anthropic.claude-sonnet-4-5-20250929-v1:0',
      '404 does not exist. Did you mean bedrock/anthropic.claude-sonnet-4-5, bedrock/anthropic.claude-sonnet-4-6, bedrock/anthropic.claude-sonnet-5?',
    ],
    ['gpt-6.2-sol', 'openai/gpt-6.2-sol'],
    ['gpt-6.1-sol', 'openai/gpt-6.1-sol'],
    ['gpt-6-astra', 'openai/gpt-6-astra'],
    ['gpt-5.6', 'openai/gpt-5.6-sol'],
    ['gpt-5.6-sol', 'openai/gpt-5.6-sol'],
    ['gpt-5.6-terra', 'openai/gpt-5.6-terra'],
    ['gpt-5.6-luna', 'openai/gpt-5.6-luna'],
    ['gpt-5.5', 'openai/gpt-5.5'],
    ['gpt-5.5-pro', 'openai/gpt-5.5-pro'],
    ['gpt-5.4', 'openai/gpt-5.4'],
    ['gpt-5.4-pro', 'openai/gpt-5.4-pro'],
    ['gpt-5.4-mini', 'openai/gpt-5.4-mini'],
    ['gpt-5.2', 'openai/gpt-5.2'],
    ['gpt-5.1', 'openai/gpt-5.1'],
    ['gpt-5', 'openai/gpt-5'],
    ['gpt-5-mini', 'openai/gpt-5-mini'],
    ['gpt-5-nano', 'openai/gpt-5-nano'],
    ['gpt-4.1', 'openai/gpt-4.1'],
    ['gpt-4.1-2025-04-14', 'openai/gpt-4.1'],
    ['gpt-4.1-mini-2025-04-14', 'openai/gpt-4.1-mini'],
    ['o3', 'openai/o3'],
    ['gpt-4o', 'openai/gpt-4o'],
    ['gpt-4o-mini', 'openai/gpt-4o-mini'],
    ['text-embedding-ada-002', 'openai/text-embedding-ada-002'],
    ['gemini-2.5-pro', 'google/gemini-2.5-pro'],
    ['gemini-2.5-flash', 'google/gemini-2.5-flash'],
    ['gemini-3-flash-preview', 'google/gemini-3-flash-preview'],
    ['gemini-3.1-flash-lite', 'google/gemini-3.1-flash-lite'],
    ['gemini-3.1-pro-preview', 'google/gemini-3.1-pro-preview'],
    ['google/gemini-3.5-flash', 'google/gemini-3.6-flash'],
    ['google/gemini-3.7-flash', 'google/gemini-3.8-flash'],
    ['gemini-embedding-001', 'google/gemini-embedding-001'],
    ['deepseek-v4-flash', 'deepseek/deepseek-v4-flash'],
    ['deepseek-v4-pro', 'deepseek/deepseek-v4-pro'],
    ['grok-4.6', 'xai/grok-4.6'],
    ['grok-4.20-0309-non-reasoning', 'xai/grok-4.20-0309-non-reasoning'],
    ['mistral-medium-2604', 'mistral/mistral-medium-2604'],
    ['codestral-latest', 'mistral/codestral-latest'],
    ['glm-5.2', 'zai/glm-5.2'],
    ['glm-5v-turbo', 'zai/glm-5v-turbo'],
    ['glm-4.6', 'zai/glm-4.6'],
    ['Qwen/Qwen3.5-397B-A17B', 'togetherai/Qwen3.5-397B-A17B'],
    ['qwen/qwen3.6-27b', 'groq/qwen3.6-27b'],
    ['gemma-4-31b', 'cerebras/gemma-4-31b'],
    [
      'moonshotai/kimi-k2-instruct-0905',
      '404 does not exist. Did you mean moonshot/kimi-k2.6, moonshot/kimi-k2.5, moonshot/kimi-k3?',
    ],
    [
      'gemini-3-pro-preview',
      '404 does not exist. Did you mean google/gemini-3.1-pro-preview, google/gemini-3-flash-preview, google/gemini-3.1-pro-preview-customtools?',
    ],
    ['qwen3-coder-plus', '404 was retired by its provider on 2026-10-10. Its successor is alibaba/qwen3.7-plus.'],
    [
      'qwen-plus-latest',
      '404 does not exist. Did you mean alibaba/qwen3.7-plus, alibaba/qwen3.6-plus, fireworks/qwen3p7-plus?',
    ],
    ['gpt-5.3-codex', '404 does not exist. Did you mean openai/gpt-5.5, openai/gpt-5.1, openai/gpt-5.4?'],
    ['gpt-5.1-codex-max', '404 does not exist. Did you mean openai/gpt-5.1, openai/gpt-5-mini, openai/gpt-5.5?'],
    [
      'chat-latest',
      '404 does not exist. Did you mean azure/gpt-chat-latest, mistral/codestral-latest, mistral/voxtral-small-latest?',
    ],
    [
      'grok-4.20',
      '404 does not exist. Did you mean xai/grok-4.20-0309-reasoning, xai/grok-4.20-0309-non-reasoning, xai/grok-4.7?',
    ],
    ['zai-glm-4.7', 'cerebras/zai-glm-4.7'],
    ['deepseek-chat', '404 was retired by its provider on 2026-07-24. Its successor is deepseek/deepseek-flash.'],
    ['kimi-k2-0905-preview', '404 was retired by its provider on 2026-05-25. Its successor is moonshot/kimi-k2.6.'],
    [
      'opus',
      '404 does not exist. Did you mean anthropic/claude-opus-5-5, anthropic/claude-opus-5, anthropic/claude-opus-4-8?',
    ],
    [
      'haiku',
      '404 does not exist. Did you mean anthropic/claude-haiku-5-5, anthropic/claude-haiku-4-5, bedrock/us.anthropic.claude-haiku-5-5?',
    ],
    [
      'sonnet',
      '404 does not exist. Did you mean anthropic/claude-sonnet-5-5, anthropic/claude-sonnet-5, anthropic/claude-sonnet-4-6?',
    ],
    ['anthropic/claude-sonnet-5', 'anthropic/claude-sonnet-5'],
    ['alibaba/qwen3.6-plus', 'alibaba/qwen3.6-plus'],
    ['gpt-5.4-nano', 'openai/gpt-5.4-nano'],
    ['gemma-4-31b-it', 'togetherai/gemma-4-31B-it'],
    ['claude-sonnet-5[1m]', 'anthropic/claude-sonnet-5'],
    ['gpt-6.1-sol-2026-09-30', 'openai/gpt-6.1-sol'],
    ['us.anthropic.claude-opus-5', 'bedrock/us.anthropic.claude-opus-5'],
    [
      'deepseek/deepseek-reasoner',
      '404 was retired by its provider on 2026-07-24. Its successor is deepseek/deepseek-flash.',
    ],
    [
      'opusplan',
      '404 does not exist. Did you mean anthropic/claude-opus-5-5, anthropic/claude-opus-5, anthropic/claude-opus-4-8?',
    ],
    [
      'codex-auto-review',
      '404 does not exist. Did you mean openai/gpt-6.2-astra, openai/gpt-6.2-sol, openai/gpt-6.1-terra?',
    ],
    [
      'r1',
      '404 does not exist. Did you mean deepseek/deepseek-flash, fireworks/deepseek-v4-pro-0813, alibaba/deepseek-v4-flash-0731?',
    ],
    [
      'llama3.1:8b',
      '404 does not exist. Did you mean bedrock/meta.llama4-maverick-17b-instruct, groq/llama-4-scout-17b-16e-instruct, togetherai/Llama-3.3-70B-Instruct-Turbo?',
    ],
    [
      'qwen2.5-coder:1.5b-base',
      '404 does not exist. Did you mean alibaba/qwen3.8-omni-flash, cerebras/qwen-3.8-27b, groq/qwen3.8-27b?',
    ],
    // Open models by names that begin with what they are for.
    ['chatglm4', '404 does not exist. Did you mean zai/glm-5.3-flash, zai/glm-5.3, fireworks/glm-5p2?'],
    [
      'codellama:7b',
      '404 does not exist. Did you mean bedrock/meta.llama4-maverick-17b-instruct, groq/llama-4-scout-17b-16e-instruct, togetherai/Llama-3.3-70B-Instruct-Turbo?',
    ],
    [
      'embeddinggemma:300m',
      '404 does not exist. Did you mean google/gemini-embedding-001, google/gemini-embedding-2, openai/text-embedding-3-large?',
    ],
    [
      'minicpm-v',
      '404 does not exist. GET /v1/models lists what there is, such as alibaba/qwen3.8-omni-flash, anthropic/claude-fable-5-2, deepseek/deepseek-flash.',
    ],
    ['glm4:9b', '404 does not exist. Did you mean zai/glm-4.7, zai/glm-4.6, zai/glm-4.6v?'],
    ['nomic-embed-text:latest', '404 does not exist. Did you mean openai/text-embedding-3-large?'],
    [
      'big-pickle',
      '404 does not exist. GET /v1/models lists what there is, such as alibaba/qwen3.8-omni-flash, anthropic/claude-fable-5-2, deepseek/deepseek-flash.',
    ],
  ])('%s', (name, expected) => {
    expect(leadsTo(name)).toBe(expected);
  });

  it.each([
    ['claude-opus-4-8', 'bedrock', 'bedrock/anthropic.claude-opus-4-8'],
    [
      'claude-opus-4-8',
      'xai',
      '404 is not available now: no credentials of its provider are set. GET /v1/models lists what there is, such as xai/grok-4.7.',
    ],
    [
      'deepseek-chat',
      'openai',
      '404 was retired by its provider on 2026-07-24. Its successor is deepseek/deepseek-flash, which is not to be had here. GET /v1/models lists what there is, such as openai/gpt-6.2-astra.',
    ],
    ['claude-opus-4-8', 'anthropic', 'anthropic/claude-opus-4-8'],
    ['claude-sonnet-4-6', 'vertex-anthropic', 'vertex-anthropic/claude-sonnet-4-6'],
    ['gpt-4.1', 'azure', 'azure/gpt-4.1'],
    ['gemini-2.5-pro', 'vertex', 'vertex/gemini-2.5-pro'],
    ['gemini-3.5-flash', 'google', 'google/gemini-3.6-flash'],
    ['gemini-3.5-flash', 'vertex', 'vertex/gemini-3.5-flash'],
    ['gpt-oss-120b', 'groq', 'groq/gpt-oss-120b'],
  ])('%s leads with the key of %s alone to %s', (name, provider, expected) => {
    expect(leadsTo(name, (id) => id === provider)).toBe(expected);
  });
});
