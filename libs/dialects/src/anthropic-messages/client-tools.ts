type Json = Record<string, unknown>;

/** A tool that Anthropic has described to its own models, as any other model is told of it. */
interface ClientTool {
  /** The versions that are called like this. */
  readonly types: RegExp;
  readonly description: string;
  readonly properties: Json;
  readonly required: readonly string[];
}

const text = (description: string): Json => ({ type: 'string', description });
const lineNumber = {
  type: 'integer',
  description: 'For insert: the line behind which the text goes; 0: at the start.',
};
const viewRange = {
  type: 'array',
  items: { type: 'integer' },
  description: 'For view: the first and the last line, counted from 1; a last line of -1 means the end of the file.',
};
const edits = {
  file_text: text('For create: all of the new file.'),
  old_str: text('For str_replace: the text to replace, exactly as it stands in the file, and only once.'),
  new_str: text('For str_replace: what stands there afterwards.'),
  insert_line: lineNumber,
  view_range: viewRange,
};
const command = (names: readonly string[]): Json => ({ type: 'string', enum: names, description: 'What to do.' });

/**
 * Tools that Anthropic defines and the client runs, with what its models know of them by heart. Those that
 * need a screen are not among them: no other model was taught to move by its pixels.
 * https://platform.claude.com/docs/en/agents-and-tools/tool-use/how-tool-use-works
 */
const tools: readonly ClientTool[] = [
  {
    // https://platform.claude.com/docs/en/agents-and-tools/tool-use/bash-tool
    types: /^bash_\d{8}$/,
    description:
      'Runs a command in a bash session that stays open between calls: its directory, variables and files are still there for the next one. Nothing can be typed into a running command.',
    properties: {
      command: text('The command. Required unless the session is restarted.'),
      restart: { type: 'boolean', description: 'True: the session is restarted, and no command is run.' },
    },
    required: [],
  },
  {
    // Up to this version the text of an insert is called as that of a replacement, and the last edit can be
    // undone: https://platform.claude.com/docs/en/agents-and-tools/tool-use/text-editor-tool
    types: /^text_editor_(?:2024\d{4}|20250124)$/,
    description: 'Shows, creates and edits text files, and lists directories.',
    properties: {
      command: command(['view', 'create', 'str_replace', 'insert', 'undo_edit']),
      path: text('The path of the file or directory.'),
      ...edits,
      new_str: text('For str_replace: what stands there afterwards. For insert: the text.'),
    },
    required: ['command', 'path'],
  },
  {
    // https://platform.claude.com/docs/en/agents-and-tools/tool-use/text-editor-tool
    types: /^text_editor_\d{8}$/,
    description: 'Shows, creates and edits text files, and lists directories.',
    properties: {
      command: command(['view', 'create', 'str_replace', 'insert']),
      path: text('The path of the file or directory.'),
      ...edits,
      insert_text: text('For insert: the text.'),
    },
    required: ['command', 'path'],
  },
  {
    // https://platform.claude.com/docs/en/agents-and-tools/tool-use/memory-tool
    types: /^memory_\d{8}$/,
    description:
      'Keeps what is to be remembered between conversations in files below /memories. View that directory before anything else, and write down what matters as you go: the conversation may end at any moment.',
    properties: {
      command: command(['view', 'create', 'str_replace', 'insert', 'delete', 'rename']),
      path: text('The path of the file or directory, which begins with /memories. Required but for rename.'),
      ...edits,
      insert_text: text('For insert: the text.'),
      old_path: text('For rename: the path before.'),
      new_path: text('For rename: the path afterwards.'),
    },
    required: ['command'],
  },
];

/**
 * What a model of another maker is told of such a tool, whose calls and results are those of any function.
 * Null: this type is none that the client runs, or none that can be told.
 */
export function clientTool(type: string): { description: string; parameters: Json } | null {
  const tool = tools.find(({ types }) => types.test(type));
  if (!tool) return null;
  const { description, properties, required } = tool;
  const demanded = required.length > 0 ? { required } : {};
  return { description, parameters: { type: 'object', properties, ...demanded, additionalProperties: false } };
}
