import { agent, programOf } from './agent';
import { failure, jsonLines, textOf } from './json-lines';

/** https://docs.cline.bot/cline-cli/cli-reference */
export const cline = agent({
  id: 'cline',
  name: 'Cline CLI',
  packages: ['cline@3.0.65'],
  cells: ['files', 'two calls', 'reasoning', 'cancel', 'wrong key', 'used up'],
  setup: '`cline auth -p openai -k <key> -b https://<gateway>/v1 -m <id>`',
  calls: {
    write: (path, content) => [{ name: 'editor', arguments: { command: 'create', path, file_text: content } }],
    edit: (path, old, next) => [
      { name: 'editor', arguments: { command: 'str_replace', path, old_str: old, new_str: next } },
    ],
  },
  command: ({ baseUrl, apiKey, model, prompt, reasons }, site) =>
    programOf(
      site,
      'cline',
      ['--json', '-P', 'openai', '-k', apiKey, '-m', model, ...(reasons ? ['--thinking', 'medium'] : []), prompt],
      { OPENAI_BASE_URL: `${baseUrl}/v1`, OPENAI_API_KEY: apiKey },
    ),
  read: (output, exitCode) => {
    const events = jsonLines(output);
    if (exitCode !== 0) return failure(output);
    return { text: events.map((event) => textOf(event.text)).join(''), usage: null };
  },
});
