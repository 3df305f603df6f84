import { agent, everyCell, formSchema, programOf } from './agent';
import { failure, jsonLines, member, sumOf, textOf } from './json-lines';

/** https://qwenlm.github.io/qwen-code-docs/en/cli/openai-auth */
export const qwenCode = agent({
  id: 'qwen-code',
  name: 'Qwen Code',
  packages: ['@qwen-code/qwen-code@0.24.4'],
  cells: everyCell,
  tellsWholeUsage: true,
  // It asks again on every 429, seven times and, but for `maxRetries`, all of it ten times more:
  // https://github.com/QwenLM/qwen-code/blob/main/packages/core/src/utils/retry.ts
  insists: ['used up'],
  setup:
    '`OPENAI_BASE_URL=https://<gateway>/v1`, `OPENAI_API_KEY=<key>`, `--auth-type openai`, `--model <id>`; for pictures `"modelProviders": {"openai": [{"id": "<id>", "envKey": "OPENAI_API_KEY", "baseUrl": "https://<gateway>/v1", "generationConfig": {"modalities": {"image": true}}}]}` in `~/.qwen/settings.json`; `"maxRetries": 0` there, or it asks for an hour when a quota is used up',
  calls: {
    write: (path, content) => [{ name: 'write_file', arguments: { file_path: path, content } }],
    edit: (path, old, next) => [{ name: 'edit', arguments: { file_path: path, old_string: old, new_string: next } }],
    fill: [{ name: 'structured_output', arguments: { city: 'example', size: 7 } }],
    look: (path) => [{ name: 'read_file', arguments: { file_path: path } }],
  },
  command: ({ baseUrl, apiKey, model, prompt, structured, resumes }, site) => ({
    ...programOf(
      site,
      'qwen',
      [
        ...['-p', prompt, '--yolo', '--output-format', 'json', '--auth-type', 'openai', '--model', model],
        ...(structured ? ['--json-schema', formSchema] : []),
        ...(resumes ? ['--continue'] : []),
      ],
      { OPENAI_BASE_URL: `${baseUrl}/v1`, OPENAI_API_KEY: apiKey },
    ),
    files: {
      '.qwen/settings.json': JSON.stringify({
        modelProviders: {
          openai: [
            {
              id: model,
              envKey: 'OPENAI_API_KEY',
              baseUrl: `${baseUrl}/v1`,
              generationConfig: { modalities: { image: true }, maxRetries: 0 },
            },
          ],
        },
      }),
    },
  }),
  read: (output) => {
    const told = jsonLines(output).find(({ type }) => type === 'result');
    if (!told) throw new Error('no result');
    if (told.is_error === true) return failure(JSON.stringify(told.error ?? told.result));
    const text = textOf(told.result);
    const sums = member(told, 'usage');
    const usage = { input: sumOf(sums, 'input_tokens'), output: sumOf(sums, 'output_tokens') };
    return { text: text || JSON.stringify(told.structured_result), data: told.structured_result, usage };
  },
});
