import { agent, changedLines, patchText, programOf } from './agent';
import { failure, jsonLines, member, textOf } from './json-lines';

/**
 * A change of a file, by whichever tool is offered: models whose name begins with gpt- get one for patches in
 * place of those that write and edit.
 * https://github.com/anomalyco/opencode/blob/dev/packages/opencode/src/tool/registry.ts
 */
function changes(name: string, parameters: object, kind: 'Add' | 'Update', path: string, lines: string[]) {
  return [
    { name, arguments: { filePath: path, ...parameters } },
    { name: 'apply_patch', arguments: { patchText: patchText(kind, path, lines) } },
  ];
}

/** A provider of its own, in its configuration: https://opencode.ai/v1/docs/providers#custom-provider */
export const opencode = agent({
  id: 'opencode',
  name: 'opencode',
  packages: ['opencode-ai@1.18.33'],
  cells: ['files', 'two calls', 'reasoning', 'image', 'resume', 'switch', 'cancel', 'wrong key', 'used up'],
  // It asks again five times on every 429, after its Retry-After if it has one:
  // https://github.com/anomalyco/opencode/blob/dev/packages/opencode/src/session/retry.ts
  insists: ['used up'],
  setup:
    '`opencode.json`: `"provider": {"tollgate": {"npm": "@ai-sdk/openai-compatible", "options": {"baseURL": "https://<gateway>/v1", "apiKey": "{env:TOLLGATE_KEY}"}, "models": {"<id>": {}}}}`; `--model tollgate/<id>`',
  calls: {
    write: (path, content) => changes('write', { content }, 'Add', path, [`+${content.trimEnd()}`]),
    edit: (path, old, next, before) =>
      changes('edit', { oldString: old, newString: next }, 'Update', path, changedLines(before, old, next)),
    look: (path) => [{ name: 'read', arguments: { filePath: path } }],
  },
  command: ({ baseUrl, apiKey, model, prompt, resumes }, site) => {
    const modalities = { input: ['text', 'image'], output: ['text'] };
    const provider = {
      npm: '@ai-sdk/openai-compatible',
      options: { baseURL: `${baseUrl}/v1`, apiKey: '{env:TOLLGATE_KEY}' },
      models: { [model]: { reasoning: true, attachment: true, modalities } },
    };
    return programOf(
      site,
      'opencode',
      ['run', '--format', 'json', '--auto', '--model', `tollgate/${model}`, ...(resumes ? ['--continue'] : []), prompt],
      {
        TOLLGATE_KEY: apiKey,
        OPENCODE_CONFIG_CONTENT: JSON.stringify({
          provider: { tollgate: provider },
          autoupdate: false,
          share: 'disabled',
        }),
        OPENCODE_DISABLE_MODELS_FETCH: '1',
      },
    );
  },
  read: (output, exitCode) => {
    const events = jsonLines(output);
    const wrong = events.find(({ type }) => type === 'error');
    if (wrong || exitCode !== 0) return failure(JSON.stringify(wrong ?? output));
    const parts = events.map((event) => member(event, 'part'));
    return { text: parts.map(({ type, text }) => (type === 'text' ? textOf(text) : '')).join(''), usage: null };
  },
});
