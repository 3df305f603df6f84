import { agent, programOf } from './agent';
import { failure, jsonLines, member, textOf } from './json-lines';

/** A provider of its own, in its configuration: https://opencode.ai/v1/docs/providers#custom-provider */
export const opencode = agent({
  id: 'opencode',
  name: 'opencode',
  packages: ['opencode-ai@1.18.33'],
  cells: ['files', 'two calls', 'reasoning', 'image', 'resume', 'switch', 'cancel', 'wrong key', 'used up'],
  setup:
    '`opencode.json`: `"provider": {"tollgate": {"npm": "@ai-sdk/openai-compatible", "options": {"baseURL": "https://<gateway>/v1", "apiKey": "{env:TOLLGATE_KEY}"}, "models": {"<id>": {}}}}`; `--model tollgate/<id>`',
  calls: {
    write: (path, content) => [{ name: 'write', arguments: { filePath: path, content } }],
    edit: (path, old, next) => [{ name: 'edit', arguments: { filePath: path, oldString: old, newString: next } }],
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
