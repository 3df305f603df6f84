import { join } from 'node:path';
import { cellNames } from '../client';
import type { Client, Command, Site } from '../client';

/** The form of structured answers, as JSON schema. */
export const formSchema = JSON.stringify({
  type: 'object',
  properties: { city: { type: 'string' }, size: { type: 'integer' } },
  required: ['city', 'size'],
  additionalProperties: false,
});

/** What a program does that can do everything: none counts tokens when it is told to. */
export const everyCell = cellNames.filter((name) => name !== 'count');

type Agent = Omit<Client, 'registry' | 'isExact' | 'namesWholePaths' | 'leavesByItself'>;

/**
 * A program from npm that works in a folder, by tools of its own. Beside what it is asked it may send
 * requests of its own accord, such as for a title.
 */
export function agent(rest: Agent): Client {
  return { ...rest, registry: 'npm', isExact: false, namesWholePaths: true, leavesByItself: false };
}

/**
 * A change of a file in the words of OpenAI's apply_patch, which some agents offer GPT in place of tools of
 * their own.
 */
export function patchText(kind: 'Add' | 'Update', path: string, lines: readonly string[]): string {
  return ['*** Begin Patch', `*** ${kind} File: ${path}`, ...lines, '*** End Patch'].join('\n');
}

/** The lines of a patch that puts one text in the place of another. */
export function changedLines(before: string, old: string, next: string): string[] {
  return ['@@', `-${before}`, `+${before.replace(old, next)}`];
}

/** Starts a program of an npm package, with the Node for clients where it is a script. */
export function programOf(site: Site, name: string, args: string[], environment: Command['environment']): Command {
  const path = `${join(site.node, '..')}:${process.env.PATH}`;
  return {
    program: join(site.installed, 'node_modules/.bin', name),
    args,
    environment: { PATH: path, ...environment },
  };
}
