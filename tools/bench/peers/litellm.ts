import { join } from 'node:path';
import { installFromPyPI } from '../../prove/clients/install';
import type { Peer } from './peer';

const version = '1.106.2';
const masterKey = 'sk-of-the-benchmark';
const config = 'litellm.json';
const model = 'gpt-4.1';

/** LiteLLM's proxy (https://docs.litellm.ai/docs/proxy/configs): one worker, so that it is one process. */
export const litellm: Peer = {
  name: `LiteLLM ${version}`,
  on: { keys: 'its one master key', limits: 'no', metering: 'costs counted, not kept', database: 'no' },
  install: (folder) => installFromPyPI(folder, [`litellm[proxy]==${version}`]),
  command: ({ folder, port, providerBaseUrl }) => ({
    program: join(folder, 'bin/litellm'),
    args: ['--config', join(folder, config), '--host', '127.0.0.1', '--port', String(port), '--num_workers', '1'],
    // Its prices come with it; it would wait for newer ones from the network.
    environment: { LITELLM_LOCAL_MODEL_COST_MAP: 'True', LITELLM_MASTER_KEY: masterKey, LITELLM_LOG: 'ERROR' },
    files: {
      [config]: JSON.stringify({
        model_list: [
          {
            model_name: model,
            litellm_params: { model: `openai/${model}`, api_base: providerBaseUrl, api_key: 'none' },
          },
        ],
      }),
    },
  }),
  request: () => ({ headers: { authorization: `Bearer ${masterKey}` }, model }),
};
