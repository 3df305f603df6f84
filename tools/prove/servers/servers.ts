import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { AbsentError } from '../clients/install';
import type { OwnServer, ServerPart, ServerSite } from './own-server';
import { runPython, scriptFile } from './own-server';
import { chatQuestions } from './questions';

/** A part of llama.cpp's server; `kind`: what it does in place of answering. */
function llamaPart(kind: '' | 'embeds' | 'ranks', model: string, questions: ServerPart['questions']): ServerPart {
  return {
    model,
    questions,
    command: async (site) => ({
      program: join(site.python, 'bin/python'),
      args: [
        scriptFile('llama_server.py'),
        await gguf(site, kind === 'ranks' ? 'rank' : 'llama'),
        model,
        String(site.port),
        '2',
        ...(kind === '' ? [] : [kind]),
      ],
    }),
  };
}

async function gguf(site: ServerSite, form: 'rank' | 'llama'): Promise<string> {
  const file = join(site.work, `${form}.gguf`);
  if (!existsSync(file)) await runPython(site, 'make_model.py', [form, file]);
  return file;
}

/** llama.cpp says 500 where the caller's own input is at fault. Repeating such a request helps nobody. */
const inputsFault = {
  begins: '500 directly, 400 through us: ',
  why: 'the server says 500 of an input that cannot be: here that is 400, which no client repeats',
};

/** It ends its streams without a mark. */
const noDone = {
  begins: 'no [DONE] directly, one through us',
  why: 'the server ends a stream without [DONE], for which clients wait: ours has one',
};

/** It does not start without one. */
const litellmKey = 'sk-of-the-proof';

/** Every server that the proof knows, the quick ones first. */
export const ownServers: readonly OwnServer[] = [
  {
    id: 'llama-cpp',
    name: 'llama.cpp',
    packages: ['xllamacpp==2026.10.11549', 'gguf==0.19.0'],
    behind: null,
    parts: [
      llamaPart('', 'tiny', [
        ...chatQuestions,
        ...(['grammar', 'completion', 'streamed completion', 'native messages'] as const),
        ...(['tokenize', 'detokenize', 'bad tokens'] as const),
      ]),
      llamaPart('embeds', 'tiny-embed', ['embedding', 'too long embedding']),
      llamaPart('ranks', 'tiny-rerank', ['rerank']),
    ],
    named: {
      picture: inputsFault,
      'bad input': inputsFault,
      'too long embedding': inputsFault,
    },
    key: null,
    note: 'its own server, built into a wheel; its models are made by the proof',
  },
  {
    id: 'litellm',
    name: 'LiteLLM',
    packages: ['litellm[proxy]==1.106.2'],
    behind: 'llama-cpp',
    parts: [
      {
        model: 'tiny',
        questions: [...chatQuestions, 'completion', 'streamed completion', 'messages'],
        command: ({ python, work, port, others }) => {
          const upstream = others.get('tiny');
          if (upstream === undefined) throw new AbsentError('It needs llama.cpp, to which it passes on.');
          const file = 'litellm.yaml';
          const place = `{ model: openai/tiny, api_base: '${upstream}/v1', api_key: none }`;
          return {
            program: join(python, 'bin/litellm'),
            args: ['--config', join(work, file), '--host', '127.0.0.1', '--port', String(port), '--num_workers', '1'],
            // Its prices come with it; it would wait for newer ones from the network.
            environment: { LITELLM_LOCAL_MODEL_COST_MAP: 'True', LITELLM_MASTER_KEY: litellmKey },
            files: { [file]: `model_list:\n  - { model_name: tiny, litellm_params: ${place} }\n` },
          };
        },
      },
    ],
    named: { picture: inputsFault, 'bad input': inputsFault },
    key: litellmKey,
    note: 'it passes on to the llama.cpp of the proof',
  },
  {
    id: 'transformers',
    name: 'transformers serve',
    // It imports requests and names it nowhere.
    packages: ['transformers[serving]==5.19.0', 'torch==2.15.0', 'requests==2.34.2'],
    behind: null,
    parts: [
      {
        model: 'tiny',
        // Its prompts have no longest length, so nothing is too long.
        questions: [
          ...chatQuestions.filter((name) => !name.startsWith('too long')),
          ...(['messages', 'completion', 'streamed completion'] as const),
        ],
        command: async (site) => {
          const { python, work, port } = site;
          const cache = join(work, 'hub');
          await runPython(site, 'make_model.py', ['hub', cache]);
          return {
            program: join(python, 'bin/transformers'),
            args: ['serve', '--host', '127.0.0.1', '--port', String(port), '--device', 'cpu'],
            environment: { HF_HUB_CACHE: cache, HF_HUB_OFFLINE: '1', OMP_NUM_THREADS: '1' },
          };
        },
      },
    ],
    named: {
      streamed: noDone,
      'streamed reasoning': noDone,
      'streamed tools': noDone,
      'streamed completion': noDone,
      'own fields': {
        begins: '422 directly, 400 through us: Unexpected fields',
        why: 'it refuses fields that it does not know: what is refused for the request is 400 here, in its words',
      },
      'bad input': {
        begins: '500 directly, 502 through us: ',
        why: 'the server breaks over it and does not say that it is the input',
      },
    },
    key: null,
    note: 'the same model in the files of the hub; no prompt is too long for it',
  },
];

/** The servers with these ids, with commas between, and those that they pass on to; empty: all. @throws Error for an id of none */
export function chosenServers(only: string): OwnServer[] {
  const ids = only === '' ? ownServers.map(({ id }) => id) : only.split(',');
  const unknown = ids.filter((id) => !ownServers.some((server) => server.id === id));
  if (unknown.length > 0) throw new Error(`No server is called ${unknown.join(' or ')}.`);
  const wanted = ownServers.filter(({ id }) => ids.includes(id));
  return ownServers.filter(({ id }) => wanted.some((server) => server.id === id || server.behind === id));
}
