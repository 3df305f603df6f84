import { join } from 'node:path';
import type { Client } from '../client';
import { failure } from './json-lines';

/**
 * Aider has no tools: it edits files by blocks of text. https://aider.chat/docs/more/edit-formats.html#diff
 */
function block(path: string, old: string, next: string): string {
  const lines = (text: string) => (text === '' ? [] : [text.trimEnd()]);
  return [path, '```', '<<<<<<< SEARCH', ...lines(old), '=======', ...lines(next), '>>>>>>> REPLACE', '```', ''].join(
    '\n',
  );
}

/** https://aider.chat/docs/llms/openai-compat.html */
export const aider: Client = {
  id: 'aider',
  name: 'Aider',
  registry: 'PyPI',
  packages: ['aider-chat==0.86.2'],
  cells: ['files', 'two calls', 'resume', 'switch', 'cancel', 'wrong key', 'used up'],
  // It says "Retrying in" and asks again for a minute:
  // https://github.com/Aider-AI/aider/blob/main/aider/exceptions.py
  insists: ['used up'],
  isExact: false,
  namesWholePaths: false,
  leavesByItself: false,
  setup: '`aider --openai-api-base https://<gateway>/v1 --openai-api-key <key> --model openai/<id>`',
  calls: {
    write: (path, content) => block(path, '', content),
    edit: (path, old, next, before) => block(path, before, before.replace(old, next)),
  },
  command: ({ baseUrl, apiKey, model, prompt, resumes }, site) => ({
    program: join(site.installed, 'bin/aider'),
    args: [
      ...['--openai-api-base', `${baseUrl}/v1`, '--openai-api-key', apiKey, '--model', `openai/${model}`],
      ...['--message', prompt, '--edit-format', 'diff', '--yes-always', '--no-git', '--map-tokens', '0'],
      ...['--no-check-update', '--analytics-disable', '--no-show-model-warnings', '--no-show-release-notes'],
      ...['--no-pretty', '--no-fancy-input', '--no-auto-lint', '--no-detect-urls', '--no-suggest-shell-commands'],
      ...['--max-chat-history-tokens', '100000', ...(resumes ? ['--restore-chat-history'] : [])],
    ],
    environment: {},
  }),
  read: (output, exitCode) => {
    const wrong = /litellm\.\w*Error[^\n]*/.exec(output)?.[0];
    if (wrong === undefined && exitCode === 0) return { text: output, usage: null };
    return failure(wrong ?? output);
  },
};
