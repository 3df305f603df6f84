import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { FormatConfig } from 'oxfmt';
import { workspaceRoot } from '../stack/workspace-root';

/**
 * Writes a page of docs/ in the house's form, as `npm run format` leaves it: the module finds no
 * configuration by itself.
 */
export async function writePage(file: string, text: string): Promise<void> {
  const options = JSON.parse(readFileSync(join(workspaceRoot, '.oxfmtrc.json'), 'utf8')) as FormatConfig;
  // Loaded when it is needed: it is a module that Jest cannot take.
  const { format } = await import('oxfmt');
  const { code } = await format(file, text, options);
  writeFileSync(file, code);
}

/** The cells of each line of the tables in a Markdown text, the line of dashes among them. */
export function cellsIn(text: string): string[][] {
  const lines = text.split('\n').filter((line) => line.startsWith('|'));
  return lines.map((line) =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );
}

/** A table in Markdown; its first line is the head. */
export function tableText([head = [], ...lines]: readonly (readonly string[])[]): string {
  return [head, head.map(() => '---'), ...lines].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

/** What is judged of a program: the first of its packages, with its version. */
export function packageOf({ packages }: { packages: readonly string[] }): string {
  return `\`${packages[0]}\``;
}
