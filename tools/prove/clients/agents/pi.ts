import { agent, programOf } from './agent';
import { failure, jsonLines, member, sumOf, sumOfUsage, textOf } from './json-lines';

/** https://github.com/earendil-works/pi/blob/main/packages/coding-agent/docs/models.md */
export const pi = agent({
  id: 'pi',
  name: 'pi',
  packages: ['@earendil-works/pi-coding-agent@1.6.0'],
  cells: ['files', 'two calls', 'reasoning', 'image', 'resume', 'switch', 'cancel', 'wrong key', 'used up'],
  // It says so ("auto_retry_start") and asks three times more:
  // https://github.com/earendil-works/pi/blob/main/packages/coding-agent/docs/settings.md#retry
  insists: ['used up'],
  setup:
    '`~/.pi/agent/models.json`: `{"providers": {"tollgate": {"baseUrl": "https://<gateway>/v1", "api": "openai-completions", "apiKey": "$TOLLGATE_KEY", "models": [{"id": "<id>"}]}}}`; `--provider tollgate --model <id>`',
  calls: {
    write: (path, content) => [{ name: 'write', arguments: { path, content } }],
    edit: (path, old, next) => [{ name: 'edit', arguments: { path, edits: [{ oldText: old, newText: next }] } }],
  },
  command: ({ baseUrl, apiKey, model, prompt, reasons, image, resumes }, site) => ({
    ...programOf(
      site,
      'pi',
      [
        ...['-p', '--mode', 'json', '--provider', 'tollgate', '--model', model],
        ...['--thinking', reasons ? 'medium' : 'off', ...(resumes ? ['--continue'] : [])],
        ...(image === null ? [] : [`@${image}`]),
        prompt,
      ],
      { TOLLGATE_KEY: apiKey, PI_OFFLINE: '1' },
    ),
    files: {
      '.pi/agent/models.json': JSON.stringify({
        providers: {
          tollgate: {
            baseUrl: `${baseUrl}/v1`,
            api: 'openai-completions',
            apiKey: '$TOLLGATE_KEY',
            models: [{ id: model, reasoning: true, input: ['text', 'image'] }],
          },
        },
      }),
    },
  }),
  read: (output) => {
    const messages = jsonLines(output)
      .filter(({ type }) => type === 'message_end')
      .map((event) => member(event, 'message'))
      .filter(({ role }) => role === 'assistant');
    const last = messages.at(-1);
    if (!last) throw new Error('no message');
    if (last.stopReason === 'error') return failure(textOf(last.errorMessage));
    const usage = sumOfUsage(
      messages.map((message) => ({
        input: sumOf(member(message, 'usage'), 'input', 'cacheRead', 'cacheWrite'),
        output: sumOf(member(message, 'usage'), 'output'),
      })),
    );
    return { text: JSON.stringify(last.content), usage };
  },
});
