import { spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { z } from 'zod';
import { serviceNames, sharedProgram } from './service-plan';
import { StackError } from './stack-error';

/** The longest first, for two at a time. */
const builtProjects: readonly string[] = [
  'apps/dashboard',
  ...[sharedProgram, ...serviceNames].map((name) => `apps/${name}`),
  'tools',
];

const projectFile = z.object({ targets: z.record(z.string(), z.object({ command: z.string() }).partial()) });

/**
 * What `nx run-many -t build` does, by the same commands and without its cache: for checkouts that hold what
 * running needs, and no Nx.
 * @param onBuilt hears the name of each project when it is built.
 * @throws StackError with the compiler's output.
 */
export async function buildWithoutNx(
  root: string,
  onBuilt: (project: string) => void,
  projects = builtProjects,
): Promise<void> {
  await run(root, await commandOf(root, 'libs/database', 'generate'));
  const waiting = [...projects];
  const buildNext = async (): Promise<void> => {
    const project = waiting.shift();
    if (project === undefined) return;
    await run(root, await commandOf(root, project, 'build'));
    onBuilt(project.slice(project.lastIndexOf('/') + 1));
    await buildNext();
  };
  await Promise.all([buildNext(), buildNext()]);
}

async function commandOf(root: string, project: string, target: string): Promise<string> {
  const file = projectFile.parse(JSON.parse(await readFile(join(root, project, 'project.json'), 'utf8')));
  const command = file.targets[target]?.command;
  if (command === undefined) throw new StackError(`${project}/project.json has no command for ${target}.`);
  return command;
}

async function run(root: string, command: string): Promise<void> {
  const env = { ...process.env, PATH: `${join(root, 'node_modules/.bin')}:${process.env.PATH}` };
  const child = spawn(command, { cwd: root, env, shell: true, stdio: ['ignore', 'pipe', 'pipe'] });
  const [output, problems] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  if (child.exitCode !== 0) throw new StackError(`The build failed at ${command}:\n${output}${problems}`);
}
