import { createHash } from 'node:crypto';
import { chmod, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { types } from 'node:util';
import { runProgram } from './programs';

/** An archive that the makers of nats-server publish. `name`: of the folder in it that holds the program. */
export interface NatsRelease {
  name: string;
  url: string;
  sha256: string;
}

const version = '2.14.5';
/**
 * The sums are those of https://github.com/cashapp/hermit-packages/blob/master/nats-server.hcl, which takes
 * them from `SHA256SUMS` of each release. Those of Linux stand in the makers' own images, too:
 * https://github.com/nats-io/nats-docker
 */
const archives: Record<string, { system: string; sha256: string }> = {
  'darwin arm64': {
    system: 'darwin-arm64',
    sha256: 'ddd907854d9a2de834af133fa396915fe6442fe6d8909ae31390d1ea7a0fea50',
  },
  'darwin x64': {
    system: 'darwin-amd64',
    sha256: 'f95c98d6b6ed2b63c5681b46b092c9585c99767d547cf495730c329234625e96',
  },
  'linux arm64': {
    system: 'linux-arm64',
    sha256: '673a98d3faa79dde3f9ebf16d6dfac36a5f694e7ad2015e4954dd7939c85cd4c',
  },
  'linux x64': {
    system: 'linux-amd64',
    sha256: '5e3b603d47c447bda1f77f9ac16dbf91c90aac4ff3681f8fbbc7201e4ed99355',
  },
};
/** Some 7 MiB, over a slow line. */
const patienceMs = 5 * 60_000;

/** The release for a machine, as `process.platform` and `process.arch` name it; null: none is known here. */
export function natsReleaseFor(platform: string, architecture: string): NatsRelease | null {
  const archive = archives[`${platform} ${architecture}`];
  if (!archive) return null;
  const name = `nats-server-v${version}-${archive.system}`;
  const url = `https://github.com/nats-io/nats-server/releases/download/v${version}/${name}.tar.gz`;
  return { name, url, sha256: archive.sha256 };
}

/**
 * Fetches the archive into `folder` and moves its program to `target`. Nothing of it is opened that is not,
 * byte for byte, what was published.
 * @throws Error when it cannot be had, or is something else.
 */
export async function takeRelease({ name, url, sha256 }: NatsRelease, folder: string, target: string): Promise<void> {
  const response = await fetch(url, { signal: AbortSignal.timeout(patienceMs) }).catch((error: unknown) => {
    throw new Error(`${url} cannot be reached (${reasonOf(error)}).`, { cause: error });
  });
  if (!response.ok) throw new Error(`${url} was answered with ${response.status}.`);
  const bytes = Buffer.from(await response.arrayBuffer());
  const found = createHash('sha256').update(bytes).digest('hex');
  if (found !== sha256) throw new Error(`${url} is not what was published: its SHA-256 is ${found}, not ${sha256}.`);
  const archive = join(folder, 'archive.tar.gz');
  await writeFile(archive, bytes);
  await runProgram('tar', ['-xzf', archive, '-C', folder, `${name}/nats-server`]);
  const program = join(folder, name, 'nats-server');
  await chmod(program, 0o755);
  await rename(program, target);
}

/** Why `fetch` failed stands in the cause of what it throws. */
function reasonOf(error: unknown): string {
  if (!types.isNativeError(error)) return String(error);
  return types.isNativeError(error.cause) ? error.cause.message : error.message;
}

/** One line for a shell that does the same by hand, into the folder where the program is looked for. */
export function byHand({ name, url, sha256 }: NatsRelease, folder: string): string {
  const check = name.includes('darwin') ? 'shasum -a 256 -c' : 'sha256sum -c';
  const commands = [
    `mkdir -p '${folder}'`,
    `cd '${folder}'`,
    `curl -fL -o nats.tar.gz ${url}`,
    `echo '${sha256}  nats.tar.gz' | ${check}`,
    `tar -xzf nats.tar.gz --strip-components 1 ${name}/nats-server`,
  ];
  return `(${commands.join(' && ')})`;
}
