import { join } from 'node:path';
import { z } from 'zod';
import { cellNames } from './client';
import type { CellName, Client, FileCalls, Told } from './client';

const libraryCalls: FileCalls = {
  write: (path, content) => [{ name: 'write_file', arguments: { path, content } }],
  edit: (path, old, next) => [{ name: 'edit_file', arguments: { path, old, new: next } }],
};

const toldShape = z.object({
  text: z.string(),
  data: z.unknown(),
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
    command: (task, { installed, node, home }) => ({
      program: rest.registry === 'npm' ? node : join(installed, 'bin/python'),
      args: [join(installed, driver), JSON.stringify({ ...task, surface, memory: join(home, 'memory.json') })],
      environment: {},
    }),
    read: lastLine,
  };
}

/** What the driver told last. */
function lastLine(output: string): Told {
  return toldShape.parse(JSON.parse(output.trim().split('\n').at(-1) ?? ''));
}

const openaiNode = { registry: 'npm', packages: ['openai@7.57.0'], driver: 'openai-node.mjs' } as const;
const newOpenAI =
  "`new OpenAI({ baseURL: 'https://<gateway>/v1', apiKey })`, or `OPENAI_BASE_URL` and `OPENAI_API_KEY`";

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
    name: 'OpenAI for JavaScript, responses',
    surface: 'responses',
    setup: newOpenAI,
  }),
  library({
    id: 'anthropic-node',
    name: 'Anthropic for JavaScript',
    registry: 'npm',
    packages: ['@anthropic-ai/sdk@1.12.0'],
    driver: 'anthropic-node.mjs',
    surface: 'messages',
    setup: "`new Anthropic({ baseURL: 'https://<gateway>', apiKey })`, or `ANTHROPIC_BASE_URL` and `ANTHROPIC_API_KEY`",
  }),
];
