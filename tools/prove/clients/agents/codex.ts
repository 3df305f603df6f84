import { agent, everyCell, formSchema, programOf } from './agent';
import { failure, jsonLines, member, parsedForm, sumOf, sumOfUsage, textOf } from './json-lines';

/** A command of the shell, under whichever name the model's catalog entry offers one. */
function shell(command: string) {
  return [
    { name: 'exec_command', arguments: { cmd: command } },
    { name: 'shell_command', arguments: { command } },
    { name: 'shell', arguments: { command: ['sh', '-c', command] } },
    // Models of OpenAI that write programs which call tools: its own catalog says which.
    { name: 'exec', arguments: { input: `await tools.exec_command(${JSON.stringify({ cmd: command })});` } },
  ];
}

/** https://developers.openai.com/codex/config-sample */
export const codex = agent({
  id: 'codex',
  name: 'Codex',
  packages: ['@openai/codex@0.171.0'],
  cells: everyCell,
  // It says "Reconnecting" and asks again, whatever it is told (seen with 0.169.0).
  insists: ['wrong key'],
  returnsThoughts: true,
  tellsWholeUsage: true,
  setup:
    '`~/.codex/config.toml`: `model_provider = "tollgate"`, `[model_providers.tollgate]` with `name = "Tollgate"`, `base_url = "https://<gateway>/v1"`, `env_key = "TOLLGATE_KEY"`, `wire_api = "responses"`, `supports_websockets = true`; `-m <id>`',
  calls: {
    write: (path, content) => shell(`printf '%s' '${content}' > ${path}`),
    edit: (path, old, next) => shell(`sed -i 's/${old}/${next}/' ${path}`),
  },
  command: ({ baseUrl, apiKey, model, prompt, structured, reasons, image, resumes }, site) => ({
    ...programOf(
      site,
      'codex',
      [
        ...['exec', '--skip-git-repo-check', '--json', '-m', model, '-s', 'danger-full-access'],
        ...(reasons ? ['-c', 'model_reasoning_effort="medium"'] : []),
        ...(structured ? ['--output-schema', `${site.home}/form.json`] : []),
        ...(resumes ? ['resume', '--last'] : []),
        prompt,
        ...(image === null ? [] : ['-i', image]),
      ],
      { TOLLGATE_KEY: apiKey },
    ),
    files: {
      'form.json': formSchema,
      '.codex/config.toml': `model_provider = "tollgate"\n\n[model_providers.tollgate]\nname = "Tollgate"\nbase_url = "${baseUrl}/v1"\nenv_key = "TOLLGATE_KEY"\nwire_api = "responses"\nsupports_websockets = true\n`,
    },
  }),
  read: (output) => {
    const events = jsonLines(output);
    const wrong = events.find(({ type }) => type === 'turn.failed');
    if (wrong) return failure(textOf(member(wrong, 'error').message));
    const turns = events.filter(({ type }) => type === 'turn.completed').map((event) => member(event, 'usage'));
    if (turns.length === 0) throw new Error('no turn');
    const said = events.map((event) => member(event, 'item')).filter(({ type }) => type === 'agent_message');
    const text = textOf(said.at(-1)?.text);
    const usage = sumOfUsage(
      turns.map((turn) => ({ input: sumOf(turn, 'input_tokens'), output: sumOf(turn, 'output_tokens') })),
    );
    return { text, data: parsedForm(text), usage };
  },
});
