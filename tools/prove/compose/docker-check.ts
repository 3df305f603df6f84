import { StackError } from '../../stack/stack-error';
import { shell } from './shell';

/** @throws StackError that says what is missing. */
export async function requireDocker(): Promise<string> {
  const ask = (command: string, what: string) =>
    shell(command, '.', process.env).catch((error: unknown) => {
      throw new StackError(`${what}\n${error instanceof Error ? error.message : String(error)}`);
    });
  await ask(
    'docker version',
    'npm run prove -- compose needs a running Docker that this user may use (docker version must answer). Start Docker, or name another with DOCKER_HOST.',
  );
  const compose = await ask(
    'docker compose version --short',
    'npm run prove -- compose needs the plugin Compose 2.24 or newer (docker compose version must answer).',
  );
  const engine = await ask("docker version -f '{{.Server.Version}}'", 'docker version');
  return `Docker ${engine.stdout.trim()}, Compose ${compose.stdout.trim()}`;
}

/** True when the image is here or can be had. */
export async function hasImage(image: string): Promise<boolean> {
  const found = await shell(`docker image inspect '${image}' || docker pull -q '${image}'`, '.', process.env).catch(
    () => null,
  );
  return found !== null;
}
