import { join } from 'node:path';
import { AbsentError, installPackages } from '../../clients/install';
import { chatCases } from '../cases';
import type { OwnServer } from '../own-server';
import { chatQuestions } from '../questions';
import { inputsFault } from './reasons';

const packages = ['litellm[proxy]==1.106.2'] as const;
/** It does not start without one. */
const key = 'sk-of-the-proof';

export const litellm: OwnServer = {
  id: 'litellm',
  name: 'LiteLLM',
  packages,
  install: () => installPackages({ registry: 'PyPI', packages }),
  cost: null,
  behind: 'llama-cpp',
  parts: [
    {
      model: 'tiny',
      questions: [...chatQuestions, 'completion', 'streamed completion', 'messages'],
      cases: chatCases,
      command: ({ installed, work, port, others }) => {
        const upstream = others.get('tiny');
        if (upstream === undefined) throw new AbsentError('It needs llama.cpp, to which it passes on.');
        const file = 'litellm.yaml';
        const place = `{ model: openai/tiny, api_base: '${upstream}/v1', api_key: none }`;
        return {
          program: join(installed, 'bin/litellm'),
          args: ['--config', join(work, file), '--host', '127.0.0.1', '--port', String(port), '--num_workers', '1'],
          // Its prices come with it; it would wait for newer ones from the network.
          environment: { LITELLM_LOCAL_MODEL_COST_MAP: 'True', LITELLM_MASTER_KEY: key },
          files: { [file]: `model_list:\n  - { model_name: tiny, litellm_params: ${place} }\n` },
        };
      },
    },
  ],
  named: { picture: inputsFault, 'bad input': inputsFault },
  key,
  note: 'it passes on to the llama.cpp of the proof',
};
