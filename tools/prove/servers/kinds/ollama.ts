import { execFile } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { attempt, installPackages, shelve } from '../../clients/install';
import { chatCases } from '../cases';
import { runPython } from '../own-server';
import type { OwnServer, ServerPart, ServerSite } from '../own-server';
import { chatQuestions } from '../questions';
import { operatorsFault } from './reasons';

const run = promisify(execFile);
const goModule = 'github.com/ollama/ollama@v0.17.4';
const createMs = 60_000;

/** Go's templates cannot look into a text: the questions are named whole. */
const template = `{{- if .Tools }}<|system|># Tools
<tools>
{{- range .Tools }}
{{ . }}
{{- end }}
</tools>
{{ end }}
{{- range $i, $_ := .Messages }}
{{- $last := eq (len (slice $.Messages $i)) 1 }}
{{- if eq .Role "tool" }}<|user|><tool_response>{{ .Content }}</tool_response>
{{- else if eq .Role "assistant" }}<|assistant|>
{{- if .Thinking }}<think>{{ .Thinking }}</think>{{ end }}{{ .Content }}
{{- if .ToolCalls }}{{ range .ToolCalls }}<tool_call>
{"name": "{{ .Function.Name }}", "arguments": {{ .Function.Arguments }}}
</tool_call>{{ end }}{{ end }}
{{- else if eq .Role "system" }}<|system|>{{ .Content }}
{{- else }}<|user|>{{ .Content }}
{{- end }}
{{- if $last }}<|assistant|>
{{- if eq .Role "tool" }}<|told|>
{{- else if $.Tools }}<|call|>
{{- else if eq .Content "Please say endless words." }}<|endless|>
{{- else if eq .Content "Please think." }}<|think|>
{{- else if eq .Content "Fill in the form." }}<|form|>
{{- else }}<|say|>
{{- end }}
{{- end }}
{{- end }}`;

interface Kind {
  name: string;
  environment: Record<string, string>;
}

function environmentOf({ work, port }: ServerSite, { name, environment }: Kind): Record<string, string> {
  return {
    OLLAMA_HOST: `127.0.0.1:${port}`,
    OLLAMA_MODELS: join(work, name),
    OLLAMA_CONTEXT_LENGTH: '4096',
    OLLAMA_NO_CLOUD: '1',
    ...environment,
  };
}

/** Makes the model from the files that llama.cpp reads too, and gives it to the server. */
async function giveModel(site: ServerSite, kind: Kind): Promise<void> {
  const { installed, work } = site;
  const python = await installPackages({ registry: 'PyPI', packages: ['gguf==0.19.0'] });
  await runPython(python, work, 'make_model.py', ['llama', join(work, 'llama.gguf')]);
  const file = join(work, 'Modelfile');
  const parameters = 'PARAMETER temperature 0\nPARAMETER num_thread 1';
  writeFileSync(file, `FROM ./llama.gguf\n${parameters}\nTEMPLATE """${template}"""\n`);
  const env = { ...process.env, ...environmentOf(site, kind) };
  await run(join(installed, 'bin/ollama'), ['create', kind.name, '-f', file], { cwd: work, env, timeout: createMs });
}

function ollamaPart(kind: Kind, { questions, cases }: Pick<ServerPart, 'questions' | 'cases'>): ServerPart {
  return {
    model: `${kind.name}:latest`,
    questions,
    cases,
    command: (site) => ({
      program: join(site.installed, 'bin/ollama'),
      args: ['serve'],
      environment: environmentOf(site, kind),
    }),
    afterStart: (site) => giveModel(site, kind),
  };
}

/** It lets requests wait while it loads a model, which this one does for each. */
const full = { OLLAMA_MAX_QUEUE: '1', OLLAMA_KEEP_ALIVE: '0' };

export const ollama: OwnServer = {
  id: 'ollama',
  name: 'Ollama',
  packages: [goModule],
  install: () => buildOllama(goModule),
  cost: 'from its Go module, a build of some 11 minutes on two idle cores',
  behind: null,
  parts: [
    ollamaPart(
      { name: 'tiny', environment: { OLLAMA_NUM_PARALLEL: '2', OLLAMA_KEEP_ALIVE: '1h' } },
      {
        // It cuts what is too long, which takes it minutes.
        questions: [
          ...chatQuestions.filter((name) => !name.startsWith('too long')),
          ...(['completion', 'streamed completion', 'messages'] as const),
        ],
        cases: chatCases,
      },
    ),
    ollamaPart({ name: 'tiny-embed', environment: {} }, { questions: ['embedding'], cases: [] }),
    ollamaPart({ name: 'full', environment: full }, { questions: [], cases: ['full queue'] }),
  ],
  named: { 'wrong name': operatorsFault },
  key: null,
  note: 'built from its Go module; its model is made by the proof from the file that llama.cpp reads; a prompt that is too long it cuts',
};

const buildTimeoutMs = 3_600_000;
/** Holds the headers of the same llama.cpp, in a folder that is called vendor. */
const headers = { package: 'llama-cpp-python', version: '0.3.36', folder: 'vendor/llama.cpp/vendor' };

/**
 * Builds Ollama from its Go module, unless it is there: some eleven minutes, on whatever nobody else wants of
 * the machine. A module has no folder that is called vendor
 * (https://go.dev/ref/mod#zip-path-size-constraints), so the headers in it come from elsewhere.
 * Returns the folder with bin/ollama. @throws AbsentError without a Go, a compiler or the registries
 */
function buildOllama(module: string): Promise<string> {
  return shelve(module, async (folder) => {
    const source = `${headers.package.replaceAll('-', '_')}-${headers.version}`;
    const pinned = `${headers.package}==${headers.version}`;
    const download = ['download', '--quiet', '--no-deps', '--no-binary', headers.package, '--dest', folder, pinned];
    await attempt('python3', ['-m', 'pip', ...download], folder);
    await attempt('tar', ['-xzf', `${source}.tar.gz`, `${source}/${headers.folder}`], folder);
    const environment = {
      GOBIN: join(folder, 'bin'),
      GOPATH: join(folder, 'go'),
      GOCACHE: join(folder, 'cache'),
      GOFLAGS: '-modcacherw',
      CGO_ENABLED: '1',
      CGO_CPPFLAGS: `-I${join(folder, source, headers.folder)}`,
    };
    await attempt('nice', ['-n', '19', 'go', 'install', module], folder, { timeoutMs: buildTimeoutMs, environment });
    for (const used of ['go', 'cache', source, `${source}.tar.gz`])
      rmSync(join(folder, used), { recursive: true, force: true });
  });
}
