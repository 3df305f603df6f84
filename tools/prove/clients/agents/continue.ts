import { agent, programOf } from './agent';
import { failure } from './json-lines';

/** https://docs.continue.dev/cli/quickstart */
export const continueCli = agent({
  id: 'continue',
  name: 'Continue CLI',
  packages: ['@continuedev/cli@1.5.47'],
  cells: ['files', 'two calls', 'reasoning', 'resume', 'switch', 'cancel', 'wrong key', 'used up'],
  // It asks ten times more on every 429:
  // https://github.com/continuedev/continue/blob/main/extensions/cli/src/util/exponentialBackoff.ts
  insists: ['used up'],
  setup:
    '`config.yaml` (`--config`): `models: [{name: <any>, provider: openai, model: <id>, apiBase: https://<gateway>/v1, apiKey: <key>, roles: [chat]}]`',
  calls: {
    write: (path, content) => [{ name: 'Write', arguments: { filepath: path, content } }],
    read: (path) => [{ name: 'Read', arguments: { filepath: path } }],
    // Models that it takes for able ones get the second.
    edit: (path, old, next) => [
      { name: 'Edit', arguments: { file_path: path, old_string: old, new_string: next } },
      { name: 'MultiEdit', arguments: { file_path: path, edits: [{ old_string: old, new_string: next }] } },
    ],
  },
  command: ({ baseUrl, apiKey, model, prompt, resumes }, site) => ({
    ...programOf(
      site,
      'cn',
      ['-p', '--auto', '--config', `${site.home}/config.yaml`, ...(resumes ? ['--resume'] : []), prompt],
      { CONTINUE_METRICS_ENABLED: '0' },
    ),
    files: {
      'config.yaml': JSON.stringify({
        name: 'Tollgate',
        version: '1.0.0',
        schema: 'v1',
        models: [
          {
            name: 'gate',
            provider: 'openai',
            model,
            apiBase: `${baseUrl}/v1`,
            apiKey,
            roles: ['chat'],
            capabilities: ['tool_use'],
          },
        ],
      }),
    },
  }),
  read: (output, exitCode) => (exitCode === 0 ? { text: output, usage: null } : failure(output)),
});
