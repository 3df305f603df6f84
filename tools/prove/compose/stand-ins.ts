import { join } from 'node:path';
import { readFileSync } from 'node:fs';
import { StackError } from '../../stack/stack-error';
import { workspaceRoot } from '../../stack/workspace-root';
import { hasImage } from './docker-check';
import { shell } from './shell';

const script = 'tools/prove/compose/stand-ins/make.sh';

/**
 * The images that nothing runs without, in the order of docker-compose.yml; those that can neither be found
 * nor pulled are made from Debian's packages.
 * Returns what a reader should know of them.
 * @throws StackError where one can neither be had nor made.
 */
export async function provideImages(folder: string): Promise<string> {
  const missing: string[] = [];
  for (const image of neededImages()) if (!(await hasImage(image))) missing.push(image);
  if (missing.length === 0) return 'Every image is there, or could be pulled.';
  try {
    await makeStandIns(missing, folder);
  } catch (error) {
    throw new StackError(
      `No registry gives ${missing.join(', ')}, and they could not be made from Debian's packages (${script} needs root, debootstrap and Go).\n${String(error)}`,
    );
  }
  return `No registry gives ${missing.join(', ')}: made from Debian's packages, whose versions may be others.`;
}

/** @throws Error where one cannot be made: no root, no debootstrap, no Go, or Debian has no such package. */
export async function makeStandIns(images: readonly string[], folder: string): Promise<void> {
  await shell(`sh "${join(workspaceRoot, script)}" ${images.join(' ')}`, workspaceRoot, {
    ...process.env,
    STAND_INS: join(folder, 'stand-ins'),
  });
}

/** What the images of services are built upon. */
export function nodeImage(): string {
  const [, node = ''] = /^ARG NODE_IMAGE=(\S+)$/m.exec(readFileSync(join(workspaceRoot, 'Dockerfile'), 'utf8')) ?? [];
  return node;
}

/** Node for those that are built, and the servers; what watches is asked for by the step that needs it. */
function neededImages(): string[] {
  const compose = readFileSync(join(workspaceRoot, 'docker-compose.yml'), 'utf8');
  const servers = [...compose.matchAll(/^ {4}image: ((?:caddy|postgres|nats|valkey\/valkey):\S+)$/gm)];
  return [...new Set([nodeImage(), ...servers.map(([, image = '']) => image)])];
}
