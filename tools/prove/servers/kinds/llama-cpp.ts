import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { installPackages } from '../../clients/install';
import { chatCases } from '../cases';
import { runPython, scriptFile } from '../own-server';
import type { OwnServer, ServerPart, ServerSite } from '../own-server';
import { chatQuestions } from '../questions';
import { inputsFault } from './reasons';

const packages = ['xllamacpp==2026.10.11549', 'gguf==0.19.0'] as const;

/** A part of llama.cpp's server; `kind`: what it does in place of answering. */
function llamaPart(kind: '' | 'embeds' | 'ranks', model: string, questions: ServerPart['questions']): ServerPart {
  return {
    model,
    questions,
    cases: kind === '' ? chatCases : [],
    command: async (site) => ({
      program: join(site.installed, 'bin/python'),
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

async function gguf({ installed, work }: ServerSite, form: 'rank' | 'llama'): Promise<string> {
  const file = join(work, `${form}.gguf`);
  if (!existsSync(file)) await runPython(installed, work, 'make_model.py', [form, file]);
  return file;
}

export const llamaCpp: OwnServer = {
  id: 'llama-cpp',
  name: 'llama.cpp',
  packages,
  install: () => installPackages({ registry: 'PyPI', packages }),
  cost: null,
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
};
