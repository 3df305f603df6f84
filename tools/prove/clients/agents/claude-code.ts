import { agent, everyCell, formSchema, programOf } from './agent';
import { failure, isJson, jsonLines, sumOf, sumOfUsage, textOf } from './json-lines';

/** https://code.claude.com/docs/en/llm-gateway */
export const claudeCode = agent({
  id: 'claude-code',
  name: 'Claude Code',
  packages: ['@anthropic-ai/claude-code@2.1.332'],
  cells: everyCell,
  tellsWholeUsage: true,
  setup:
    '`ANTHROPIC_BASE_URL=https://<gateway>`, `ANTHROPIC_API_KEY=<key>`, `--model <id>`; with `ENABLE_TOOL_SEARCH=true` it looks for tools of MCP as it needs them, on every model',
  calls: {
    write: (path, content) => [{ name: 'Write', arguments: { file_path: path, content } }],
    edit: (path, old, next) => [{ name: 'Edit', arguments: { file_path: path, old_string: old, new_string: next } }],
    fill: [{ name: 'StructuredOutput', arguments: { city: 'example', size: 7 } }],
    look: (path) => [{ name: 'Read', arguments: { file_path: path } }],
  },
  command: ({ baseUrl, apiKey, model, prompt, structured, resumes }, site) =>
    programOf(
      site,
      'claude',
      [
        ...['-p', prompt, '--output-format', 'json', '--model', model, '--permission-mode', 'acceptEdits'],
        ...(structured ? ['--json-schema', formSchema] : []),
        ...(resumes ? ['--continue'] : []),
      ],
      {
        ANTHROPIC_BASE_URL: baseUrl,
        ANTHROPIC_API_KEY: apiKey,
        CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
      },
    ),
  read: (output) => {
    const told = jsonLines(output).find(({ type }) => type === 'result');
    if (!told) throw new Error('no result');
    if (told.is_error === true) return failure(textOf(told.result));
    const models = Object.values(isJson(told.modelUsage) ? told.modelUsage : {}).filter(isJson);
    const usage = sumOfUsage(
      models.map((each) => ({
        input: sumOf(each, 'inputTokens', 'cacheReadInputTokens', 'cacheCreationInputTokens'),
        output: sumOf(each, 'outputTokens'),
      })),
    );
    return { text: textOf(told.result) || JSON.stringify(told.structured_output), data: told.structured_output, usage };
  },
});
