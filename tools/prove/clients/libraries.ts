import { join } from 'node:path';
import { z } from 'zod';
import { cellNames } from './client';
import type { CellName, Client, FileCalls, Told } from './client';
import { goProgram } from './install';

const libraryCalls: FileCalls = {
  write: (path, content) => [{ name: 'write_file', arguments: { path, content } }],
  edit: (path, old, next) => [{ name: 'edit_file', arguments: { path, old, new: next } }],
};

const toldShape = z.object({
  text: z.string(),
  data: z.unknown().optional(),
  usage: z.object({ input: z.number(), output: z.number() }).nullish(),
  counted: z.number().nullish(),
  error: z.object({ status: z.number().nullable(), message: z.string() }).optional(),
});

interface Library {
  id: string;
  name: string;
  registry: Client['registry'];
  packages: readonly string[];
  /** The file in `drivers/` that plays a task with it. */
  driver: string;
  surface: 'chat' | 'messages' | 'responses';
  cannot?: readonly CellName[];
  returnsThoughts?: boolean;
  insists?: readonly CellName[];
  setup: string;
}

/** A library, played by a driver of ours: a program of a page that uses it as its documentation says. */
function library({ driver, surface, cannot = [], ...rest }: Library): Client {
  return {
    ...rest,
    cells: cellNames.filter((name) => !cannot.includes(name)),
    isExact: true,
    calls: libraryCalls,
    namesWholePaths: false,
    leavesByItself: true,
    command: (task, { installed, node, home }) => {
      const script = join(installed, driver);
      const [program, ...before] = {
        npm: [node, script] as const,
        PyPI: [join(installed, 'bin/python'), script] as const,
        Go: [join(installed, goProgram)] as const,
      }[rest.registry];
      const asked = JSON.stringify({ ...task, surface, memory: join(home, 'memory.json') });
      return { program, args: [...before, asked], environment: {} };
    },
    read: lastLine,
  };
}

/** What the driver told last. */
function lastLine(output: string): Told {
  return toldShape.parse(JSON.parse(output.trim().split('\n').at(-1) ?? ''));
}

const openaiNode = { registry: 'npm', packages: ['openai@7.59.0'], driver: 'openai-node.mjs' } as const;
const newOpenAI =
  "`new OpenAI({ baseURL: 'https://<gateway>/v1', apiKey })`, or `OPENAI_BASE_URL` and `OPENAI_API_KEY`";

const aiSdk = {
  registry: 'npm',
  packages: ['ai@7.0.173', '@ai-sdk/openai-compatible@3.0.92', '@ai-sdk/anthropic@4.0.105'],
  driver: 'ai-sdk.mjs',
  cannot: ['count'],
  // It asks twice more on every 429, and tells all of it:
  // https://ai-sdk.dev/docs/reference/ai-sdk-core/stream-text#max-retries
  insists: ['used up'],
} as const;

export const libraries: readonly Client[] = [
  library({
    ...openaiNode,
    id: 'openai-node-chat',
    name: 'OpenAI for JavaScript, chat',
    surface: 'chat',
    cannot: ['count'],
    setup: newOpenAI,
  }),
  library({
    ...openaiNode,
    id: 'openai-node-responses',
    returnsThoughts: true,
    name: 'OpenAI for JavaScript, responses',
    surface: 'responses',
    setup: newOpenAI,
  }),
  library({
    id: 'anthropic-node',
    name: 'Anthropic for JavaScript',
    registry: 'npm',
    packages: ['@anthropic-ai/sdk@1.14.0'],
    driver: 'anthropic-node.mjs',
    surface: 'messages',
    setup: "`new Anthropic({ baseURL: 'https://<gateway>', apiKey })`, or `ANTHROPIC_BASE_URL` and `ANTHROPIC_API_KEY`",
  }),
  library({
    id: 'openai-python-chat',
    name: 'OpenAI for Python, chat',
    registry: 'PyPI',
    packages: ['openai==3.57.0'],
    driver: 'openai_python.py',
    surface: 'chat',
    cannot: ['count'],
    setup: "`OpenAI(base_url='https://<gateway>/v1', api_key=key)`, or `OPENAI_BASE_URL` and `OPENAI_API_KEY`",
  }),
  library({
    id: 'openai-python-responses',
    name: 'OpenAI for Python, responses',
    registry: 'PyPI',
    packages: ['openai==3.57.0'],
    driver: 'openai_python.py',
    surface: 'responses',
    setup: "`OpenAI(base_url='https://<gateway>/v1', api_key=key)`, or `OPENAI_BASE_URL` and `OPENAI_API_KEY`",
  }),
  library({
    id: 'anthropic-python',
    name: 'Anthropic for Python',
    registry: 'PyPI',
    packages: ['anthropic==2.14.0'],
    driver: 'anthropic_python.py',
    surface: 'messages',
    setup: "`Anthropic(base_url='https://<gateway>', api_key=key)`, or `ANTHROPIC_BASE_URL` and `ANTHROPIC_API_KEY`",
  }),
  library({
    id: 'anthropic-go',
    name: 'Anthropic for Go',
    registry: 'Go',
    packages: ['github.com/anthropics/anthropic-sdk-go/v2@v2.15.0'],
    driver: 'anthropic.go',
    surface: 'messages',
    setup: '`anthropic.NewClient(option.WithBaseURL("https://<gateway>"), option.WithAPIKey(key))`',
  }),
  library({
    id: 'langchain-openai',
    name: 'LangChain for Python, OpenAI',
    registry: 'PyPI',
    packages: ['langchain-openai==1.7.4'],
    driver: 'langchain_python.py',
    surface: 'chat',
    cannot: ['count'],
    setup: "`ChatOpenAI(model=id, base_url='https://<gateway>/v1', api_key=key)`",
  }),
  library({
    id: 'langchain-anthropic',
    name: 'LangChain for Python, Anthropic',
    registry: 'PyPI',
    packages: ['langchain-anthropic==1.7.10'],
    driver: 'langchain_python.py',
    surface: 'messages',
    cannot: ['count'],
    setup: "`ChatAnthropic(model=id, base_url='https://<gateway>', api_key=key)`",
  }),
  library({
    ...aiSdk,
    id: 'ai-sdk-compatible',
    name: 'AI SDK, OpenAI-compatible',
    surface: 'chat',
    setup:
      "`createOpenAICompatible({ name: 'tollgate', baseURL: 'https://<gateway>/v1', apiKey, includeUsage: true })(id)`",
  }),
  library({
    ...aiSdk,
    id: 'ai-sdk-anthropic',
    name: 'AI SDK, Anthropic',
    surface: 'messages',
    setup: "`createAnthropic({ baseURL: 'https://<gateway>/v1', apiKey })(id)`",
  }),
  library({
    id: 'pydantic-ai',
    name: 'Pydantic AI',
    registry: 'PyPI',
    packages: ['pydantic-ai-slim==2.68.0', 'openai==3.54.0'],
    driver: 'pydanticai.py',
    surface: 'chat',
    cannot: ['count'],
    setup: "`OpenAIChatModel(id, provider=OpenAIProvider(base_url='https://<gateway>/v1', api_key=key))`",
  }),
  library({
    id: 'openai-agents',
    name: 'OpenAI Agents',
    registry: 'PyPI',
    packages: ['openai-agents==0.24.0'],
    driver: 'openai_agents.py',
    surface: 'responses',
    cannot: ['count'],
    setup:
      "`OpenAIResponsesModel(id, openai_client=AsyncOpenAI(base_url='https://<gateway>/v1', api_key=key))`, `set_tracing_disabled(True)`",
  }),
  library({
    id: 'llama-index',
    name: 'LlamaIndex',
    registry: 'PyPI',
    packages: ['llama-index-llms-openai-like==0.8.1', 'llama-index-llms-openai==0.8.3'],
    driver: 'llamaindex_python.py',
    surface: 'chat',
    cannot: ['count'],
    setup:
      "`OpenAILike(model=id, api_base='https://<gateway>/v1', api_key=key, is_chat_model=True, is_function_calling_model=True)`",
  }),
  library({
    id: 'litellm',
    name: 'LiteLLM',
    registry: 'PyPI',
    packages: ['litellm==1.83.0'],
    driver: 'litellm_python.py',
    surface: 'chat',
    cannot: ['count'],
    setup: "`litellm.completion(model='openai/<id>', api_base='https://<gateway>/v1', api_key=key)`",
  }),
];
