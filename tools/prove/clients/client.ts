/** A call that the simulated provider is to make, by the client's own name of the tool. */
interface ScriptedCall {
  name: string;
  arguments: Record<string, unknown>;
}
/** What the simulated provider answers in one round: calls, all at once, or a text. */
export type ScriptedRound = readonly ScriptedCall[] | string;

/** What a client is asked to do in one process of its own. */
export interface Task {
  /** The gateway's address, without `/v1`. */
  baseUrl: string;
  apiKey: string;
  model: string;
  prompt: string;
  /** A picture (PNG) to look at; null: none. */
  image: string | null;
  /** It may use its tools, which act in the folder of its process. */
  tools: boolean;
  /** It is to ask for reasoning. */
  reasons: boolean;
  /** It is to ask for an answer by the form `{city, size}`. */
  structured: boolean;
  /** It is to go on with the conversation of its last task. */
  resumes: boolean;
  /** It is to leave when the answer has begun. */
  leaves: boolean;
  /** It is to count the input's tokens before it asks. */
  counts: boolean;
}

/** Where a client is installed, and where it works: a folder of files, and a home of its own. */
export interface Site {
  installed: string;
  node: string;
  work: string;
  home: string;
}

/** How a client is started. `files`: written before it starts, by their path. */
export interface Command {
  program: string;
  args: string[];
  environment: Record<string, string>;
  files?: Record<string, string>;
}

export interface Usage {
  input: number;
  output: number;
}

/**
 * What a client said of its work. `usage` null or absent: it does not tell; `error.status` null: it tells no
 * status.
 */
export interface Told {
  text: string;
  data?: unknown;
  usage?: Usage | null;
  counted?: number | null;
  error?: { status: number | null; message: string };
}

/** What every client may be able to do. */
export const cellNames = [
  'files',
  'two calls',
  'reasoning',
  'image',
  'structured',
  'resume',
  'switch',
  'cancel',
  'wrong key',
  'used up',
  'count',
] as const;
export type CellName = (typeof cellNames)[number];

/** How a client writes a file, and replaces a text in one: by calls, or by a text that it reads so. */
export interface FileCalls {
  write: (path: string, content: string) => ScriptedRound;
  edit: (path: string, old: string, next: string, before: string) => ScriptedRound;
  /** Reads a file, which is edited only then; absent: it need not be read. */
  read?: (path: string) => ScriptedRound;
  /** Looks at a picture by a tool; absent: it comes with the prompt. */
  look?: (path: string) => ScriptedRound;
  /** Fills the form by a tool; absent: the answer is the form. */
  fill?: ScriptedRound;
}

/** A program or a library that others make, as it comes from its registry. */
export interface Client {
  id: string;
  name: string;
  registry: 'npm' | 'PyPI' | 'Go';
  /**
   * With pinned versions (`openai@7.57.0`, `openai==3.54.0`, a Go module's `…/v2@v2.15.0`); the first is the
   * client itself.
   */
  packages: readonly string[];
  cells: readonly CellName[];
  /** Cells in which it asks again of its own accord, whatever it is told, and says so. */
  insists?: readonly CellName[];
  /** Each round is one request, and nothing else is sent. */
  isExact: boolean;
  /** It sends the model's thoughts back with the next request: the cells with reasoning look for them. */
  returnsThoughts?: boolean;
  /** The usage that it tells of a resumed conversation is of all of it, from its beginning. */
  tellsWholeUsage?: boolean;
  /** How it is set up, as docs/clients.md tells it (Markdown). */
  setup: string;
  calls: FileCalls;
  /** It leaves by itself when a task says so; others are interrupted. */
  leavesByItself: boolean;
  /** The files are named by their whole path. */
  namesWholePaths: boolean;
  command: (task: Task, site: Site) => Command;
  read: (output: string, exitCode: number | null) => Told;
}
