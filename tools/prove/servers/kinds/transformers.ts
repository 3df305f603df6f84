import { join } from 'node:path';
import { installPackages } from '../../clients/install';
import { chatCases } from '../cases';
import type { OwnServer } from '../own-server';
import { runPython } from '../own-server';
import { chatQuestions } from '../questions';
import { operatorsFault } from './reasons';

// It imports requests and names it nowhere.
const packages = ['transformers[serving]==5.19.0', 'torch==2.15.0', 'requests==2.34.2'] as const;

/** It ends its streams without a mark. */
const noDone = {
  begins: 'no [DONE] directly, one through us',
  why: 'the server ends a stream without [DONE], for which clients wait: ours has one',
};

export const transformers: OwnServer = {
  id: 'transformers',
  name: 'transformers serve',
  packages,
  install: () => installPackages({ registry: 'PyPI', packages }),
  cost: null,
  behind: null,
  parts: [
    {
      model: 'tiny',
      // Its prompts have no longest length, so nothing is too long.
      questions: [
        ...chatQuestions.filter((name) => !name.startsWith('too long')),
        ...(['messages', 'completion', 'streamed completion'] as const),
      ],
      cases: chatCases,
      command: async ({ installed, work, port }) => {
        const cache = join(work, 'hub');
        await runPython(installed, work, 'make_model.py', ['hub', cache]);
        return {
          program: join(installed, 'bin/transformers'),
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
    'streamed two choices': noDone,
    'long stream': noDone,
    // It looks for such a model where it gets them from, and breaks when that is out of reach.
    'wrong name': { ...operatorsFault, begins: '500 directly, 502 through us: ' },
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
};
