/** How a command block of the README is held to its word. */
export const checkKinds = ['run', 'start', 'config', 'compose', 'ci'] as const;

export interface ReadmeBlock {
  /** The language of the fence: sh, js, yaml, … */
  language: string;
  text: string;
  /** From the comment above the block; null when there is none. */
  check: string | null;
  /** The line of the README where the block begins, from 1. */
  line: number;
}

/**
 * The fenced blocks of a Markdown text, each with the check that an HTML comment above it names:
 * `check: run`, say.
 */
export function readmeBlocks(markdown: string): ReadmeBlock[] {
  const blocks: ReadmeBlock[] = [];
  let check: string | null = null;
  let open: ReadmeBlock | null = null;
  for (const [index, line] of markdown.split('\n').entries()) {
    const fence = /^ *```(\w*)/.exec(line);
    if (fence && open) {
      blocks.push(open);
      open = null;
      check = null;
    } else if (fence) open = { language: fence[1] ?? '', text: '', check, line: index + 1 };
    else if (open) open.text += `${line}\n`;
    else if (line.trim() !== '') check = /^ *<!-- check: (\w+) -->$/.exec(line)?.[1] ?? null;
  }
  return blocks;
}

/** The commands of a shell block, one each, lines that end in a backslash joined. */
export function commandsOf({ text }: ReadmeBlock): string[] {
  return text
    .replaceAll('\\\n', ' ')
    .split('\n')
    .map((line) => line.replace(/\s+/g, ' ').trim())
    .filter((line) => line !== '' && !line.startsWith('#'));
}
