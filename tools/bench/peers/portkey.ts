import { join } from 'node:path';
import { installFromNpm } from '../../prove/clients/install';
import type { Peer } from './peer';

const version = '1.15.2';
/**
 * What npm would choose beside it now refuses every stream of its own with 500 ("TypeError: immutable",
 * https://github.com/Portkey-AI/gateway/issues/1389). These are the newest with which it streams.
 */
const parts = ['@hono/node-server@1.14.1', '@hono/node-ws@1.2.0'];

/**
 * Portkey's open gateway (https://github.com/Portkey-AI/gateway): one Node process, which knows no keys of
 * its own and listens on every address. As its provider it takes a private address on loopback only, unless
 * TRUSTED_CUSTOM_HOSTS says more.
 */
export const portkey: Peer = {
  name: `Portkey ${version}`,
  on: { keys: 'no', limits: 'no', metering: 'no', database: 'no' },
  install: (folder) => installFromNpm(folder, [`@portkey-ai/gateway@${version}`, ...parts]),
  command: ({ folder, port }) => ({
    program: process.execPath,
    args: [join(folder, 'node_modules/@portkey-ai/gateway/build/start-server.js'), `--port=${port}`, '--headless'],
    environment: { NODE_ENV: 'production' },
  }),
  // https://portkey.ai/docs/api-reference/inference-api/headers
  request: ({ providerBaseUrl }) => ({
    headers: {
      authorization: 'Bearer none',
      'x-portkey-provider': 'openai',
      'x-portkey-custom-host': providerBaseUrl,
    },
    model: 'gpt-4.1',
  }),
};
