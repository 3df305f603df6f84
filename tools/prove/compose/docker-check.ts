import { StackError } from '../../stack/stack-error';
import { shell } from './shell';

/** What answers as `docker`. */
export interface Engine {
  /** Names it, for a reader. */
  told: string;
  /**
   * Podman under Docker's name. It knows no `start_interval` (Compose asks for it from engine 25 on), and
   * builds that run side by side share no layers.
   */
  isPodman: boolean;
}

/** @throws StackError that says what is missing. */
export async function requireDocker(): Promise<Engine> {
  const ask = (command: string, what: string) =>
    shell(command, '.', process.env).catch((error: unknown) => {
      throw new StackError(`${what}\n${error instanceof Error ? error.message : String(error)}`);
    });
  await ask(
    'docker version',
    'npm run prove -- compose needs a running Docker that this user may use (docker version must answer). Start Docker, name another with DOCKER_HOST, or let `docker` be a rootless Podman with Compose.',
  );
  const compose = await ask(
    'docker compose version --short',
    'npm run prove -- compose needs the plugin Compose 2.24 or newer (docker compose version must answer).',
  );
  const program = (await ask('docker --version', 'docker --version')).stdout.trim();
  const told = `${program}, Compose ${compose.stdout.trim()}`;
  return { told, isPodman: /podman/i.test(program) };
}

/** True when the image is here or can be had. */
export async function hasImage(image: string): Promise<boolean> {
  const found = await shell(`docker image inspect '${image}' || docker pull -q '${image}'`, '.', process.env).catch(
    () => null,
  );
  return found !== null;
}
