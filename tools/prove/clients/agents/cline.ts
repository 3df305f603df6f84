import { agent, changedLines, patchText, programOf } from './agent';
import { failure, jsonLines, textOf } from './json-lines';

/**
 * https://docs.cline.bot/cli/cli-reference; with `--data-dir` no hub daemon is started, which would outlive
 * the task: README.md of the package, Zen mode.
 */
export const cline = agent({
  id: 'cline',
  name: 'Cline CLI',
  packages: ['cline@3.0.65'],
  cells: ['files', 'two calls', 'reasoning', 'cancel', 'wrong key', 'used up'],
  // It asks five times more on every 429 (seen with 3.0.65).
  insists: ['used up'],
  setup: '`cline auth -p openai-compatible -k <key> -b https://<gateway>/v1 -m <id>`',
  calls: {
    write: (path, content) => [
      { name: 'editor', arguments: { path, new_text: content } },
      { name: 'apply_patch', arguments: { input: patchText('Add', path, [`+${content.trimEnd()}`]) } },
    ],
    edit: (path, old, next, before) => [
      { name: 'editor', arguments: { path, old_text: old, new_text: next } },
      { name: 'apply_patch', arguments: { input: patchText('Update', path, changedLines(before, old, next)) } },
    ],
  },
  command: ({ baseUrl, apiKey, model, prompt, reasons }, site) => ({
    ...programOf(
      site,
      'cline',
      [
        '--json',
        '--data-dir',
        `${site.home}/.cline/data`,
        '-m',
        model,
        ...(reasons ? ['--thinking', 'medium'] : []),
        prompt,
      ],
      {},
    ),
    files: {
      '.cline/data/settings/providers.json': JSON.stringify({
        version: 1,
        lastUsedProvider: 'openai-compatible',
        modes: {},
        providers: {
          'openai-compatible': {
            settings: { provider: 'openai-compatible', apiKey, model, baseUrl: `${baseUrl}/v1` },
            updatedAt: new Date().toISOString(),
            tokenSource: 'manual',
          },
        },
      }),
    },
  }),
  read: (output, exitCode) => {
    const events = jsonLines(output);
    if (exitCode !== 0) return failure(output);
    return { text: events.map((event) => textOf(event.text)).join(''), usage: null };
  },
});
