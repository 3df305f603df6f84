import type { CatalogModel } from '@tollgate/contracts/catalog';
import type { CellName, FileCalls, ScriptedRound, Task } from './client';

/** One process of a client within a cell. */
export interface Act {
  wishes: Partial<Pick<Task, 'tools' | 'reasons' | 'structured' | 'resumes' | 'leaves' | 'counts'>> & {
    sees?: boolean;
    /** By the next model of the row. */
    switches?: boolean;
  };
  says: string;
  /** What the simulated provider answers, round by round. Whatever comes after it is a text. */
  script: readonly ScriptedRound[];
  /** More controls of the simulated provider. */
  controls?: string;
}

export interface Cell {
  name: CellName;
  acts: (calls: FileCalls, at: (file: string) => string) => Act[];
  /** What must stand on the disk afterwards. */
  files: Record<string, string>;
  key: 'good' | 'wrong' | 'spent';
  /** Whether a model offers what the cell needs. */
  fits: (model: CatalogModel) => boolean;
}

const plain = { files: {}, key: 'good', fits: () => true } as const;
const one = (says: string, wishes: Act['wishes'] = {}): Act[] => [{ wishes, says, script: [] }];
const rounds = 5;

/** Everything that a client is asked to do with a model. */
export const cells: readonly Cell[] = [
  {
    ...plain,
    name: 'files',
    acts: ({ write, read, edit }, at) => [
      {
        wishes: { tools: true },
        says: 'Write the gate and then open it.',
        script: inTurn(
          write(at('gate.txt'), 'the gate is shut\n'),
          ...(read ? [read(at('gate.txt'))] : []),
          edit(at('gate.txt'), 'shut', 'open', 'the gate is shut'),
        ),
      },
    ],
    files: { 'gate.txt': 'the gate is open\n' },
  },
  {
    ...plain,
    name: 'two calls',
    acts: ({ write }, at) => [
      {
        wishes: { tools: true },
        says: 'Write both at once.',
        script: [together(write(at('left.txt'), 'left\n'), write(at('right.txt'), 'right\n'))],
      },
    ],
    files: { 'left.txt': 'left\n', 'right.txt': 'right\n' },
  },
  {
    ...plain,
    name: 'reasoning',
    acts: ({ write }, at) => [
      {
        wishes: { tools: true, reasons: true },
        says: 'Think, and write five steps.',
        script: Array.from({ length: rounds }, (_, step) => write(at(`step-${step}.txt`), `step ${step}\n`)),
      },
    ],
    files: Object.fromEntries(Array.from({ length: rounds }, (_, step) => [`step-${step}.txt`, `step ${step}\n`])),
    fits: ({ capabilities }) => capabilities.reasoning,
  },
  {
    ...plain,
    name: 'image',
    acts: ({ look }, at) => [
      {
        wishes: { sees: true, tools: look !== undefined },
        says: 'What is in the picture?',
        script: look ? [look(at('picture.png'))] : [],
      },
    ],
    fits: ({ inputModalities }) => inputModalities.includes('image'),
  },
  {
    ...plain,
    name: 'structured',
    acts: ({ fill }) => [{ wishes: { structured: true }, says: 'Fill the form.', script: fill ? [fill] : [] }],
    fits: ({ capabilities }) => capabilities.structuredOutput,
  },
  { ...plain, name: 'resume', acts: (calls, at) => twice(calls, at, false), files: { 'later.txt': 'later\n' } },
  { ...plain, name: 'switch', acts: (calls, at) => twice(calls, at, true), files: { 'later.txt': 'later\n' } },
  {
    ...plain,
    name: 'cancel',
    acts: () => [
      { wishes: { leaves: true }, says: 'Tell a long story.', script: [], controls: 'tokens=200 fault=stall at=30' },
    ],
  },
  { ...plain, name: 'wrong key', acts: () => one('Hello.'), key: 'wrong' },
  { ...plain, name: 'used up', acts: () => one('Hello.'), key: 'spent' },
  { ...plain, name: 'count', acts: () => one('How long is this?', { counts: true }) },
];

/** What is said first and must be there still when the conversation goes on. */
export const remembered = 'The password of the gate is heron.';

/** A conversation with tools and thoughts in two processes, the second one perhaps with another model. */
function twice({ write }: FileCalls, at: (file: string) => string, switches: boolean): Act[] {
  const wishes = { tools: true, reasons: switches };
  return [
    { wishes, says: remembered, script: [write(at('early.txt'), 'early\n')] },
    { wishes: { ...wishes, resumes: true, switches }, says: 'Go on.', script: [write(at('later.txt'), 'later\n')] },
  ];
}

/** One round for each, or one for all texts: whoever has no tools gets one answer. */
function inTurn(...scripted: ScriptedRound[]): ScriptedRound[] {
  return scripted.every((round) => typeof round === 'string') ? [scripted.join('\n')] : scripted;
}

function together(...scripted: ScriptedRound[]): ScriptedRound {
  if (scripted.every((round) => typeof round === 'string')) return scripted.join('\n');
  return scripted.flatMap((round) => (typeof round === 'string' ? [] : round));
}

/** The prompt of an act, with what the simulated provider is to answer. */
export function promptOf({ says, script, controls = '' }: Act): string {
  const encoded = Buffer.from(JSON.stringify(script)).toString('base64url');
  return `${says} [[sandbox: script=${encoded}${controls && ` ${controls}`}]]`;
}

/** How many answers an act takes. */
export function answersOf({ script, wishes }: Act): number {
  return (typeof script.at(-1) === 'string' ? script.length : script.length + 1) + (wishes.counts ? 1 : 0);
}
