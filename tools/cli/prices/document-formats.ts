import { Option } from 'commander';
import { readGenaiPricesFacts, readLitellmFacts, readModelsDevFacts } from '../catalog/document-facts';
import type { DocumentFacts } from '../catalog/document-facts';
import type { DocumentEntry } from './document-entry';
import { readGenaiPrices } from './genai-prices';
import { readLitellm } from './litellm';
import { readModelsDev } from './models-dev';

/** How a price document is read, and what it calls our providers. */
export interface DocumentFormat {
  read: (json: unknown) => DocumentEntry[];
  /** What it tells of models beside their prices. */
  facts: (json: unknown) => DocumentFacts[];
  /** By our provider id; a provider that is not named here is called the same. */
  providerNames: Readonly<Record<string, readonly string[]>>;
  /** Names of routes that may stand before a model's name. */
  routes: readonly string[];
}

export const documentFormats: Readonly<Record<'models.dev' | 'litellm' | 'genai-prices', DocumentFormat>> = {
  'models.dev': {
    read: readModelsDev,
    facts: readModelsDevFacts,
    providerNames: {
      'azure-anthropic': ['azure'],
      bedrock: ['amazon-bedrock'],
      'bedrock-openai': ['amazon-bedrock'],
      fireworks: ['fireworks-ai'],
      moonshot: ['moonshotai'],
      vertex: ['google-vertex'],
      'vertex-anthropic': ['google-vertex-anthropic', 'google-vertex'],
    },
    routes: [],
  },
  litellm: {
    read: readLitellm,
    facts: (json) => readLitellmFacts(json),
    providerNames: {
      alibaba: ['dashscope'],
      bedrock: ['bedrock_converse', 'bedrock'],
      cohere: ['cohere', 'cohere_chat'],
      fireworks: ['fireworks_ai', 'fireworks_ai-embedding-models'],
      google: ['gemini'],
      nvidia: ['nvidia_nim'],
      openai: ['openai', 'text-completion-openai'],
      togetherai: ['together_ai'],
      vertex: ['vertex_ai-language-models', 'vertex_ai-embedding-models', 'vertex_ai'],
      'vertex-anthropic': ['vertex_ai-anthropic_models'],
    },
    routes: [
      ...['azure', 'bedrock', 'cerebras', 'cohere', 'dashscope', 'deepseek', 'fireworks_ai', 'gemini', 'groq'],
      ...['mistral', 'moonshot', 'nvidia_nim', 'openai', 'perplexity', 'together_ai', 'vertex_ai', 'xai', 'zai'],
    ],
  },
  'genai-prices': {
    read: (json) => readGenaiPrices(json),
    facts: readGenaiPricesFacts,
    providerNames: {
      bedrock: ['aws'],
      moonshot: ['moonshotai'],
      togetherai: ['together'],
      vertex: ['google'],
      'vertex-anthropic': ['anthropic'],
      xai: ['x-ai'],
    },
    routes: [],
  },
};

/** What both commands take that import a document. */
export interface ImportOptions {
  from: string;
  format: keyof typeof documentFormats;
  provider?: string;
  apply?: boolean;
}

/** An import changes hundreds of rows in one transaction. */
export const importTimeoutMs = 30_000;

export function fromOption(): Option {
  return new Option('--from <file or URL>', 'such as https://models.dev/api.json').makeOptionMandatory();
}

export function formatOption(): Option {
  return new Option('--format <format>', 'what the document is')
    .choices(Object.keys(documentFormats))
    .default('models.dev');
}
