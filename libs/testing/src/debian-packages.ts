import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isReadable, runProgram } from './programs';
import { serverEnvironment } from './server-environment';
import { toolsFolder } from './workspace';

const keyrings = ['/usr/share/keyrings/debian-archive-keyring.gpg', '/usr/share/keyrings/debian-archive-keyring.pgp'];

/**
 * How apt reaches its sources, beside its own configuration.
 * https://manpages.debian.org/stable/apt/apt-transport-http.1.en.html
 */
const ofApt = ['APT_CONFIG', 'http_proxy', 'https_proxy', 'ftp_proxy', 'all_proxy', 'no_proxy'];

/**
 * Packages to take together. `suite` null: the machine's own sources; else that suite of Debian, on a Debian
 * machine.
 */
export interface PackageChoice {
  readonly suite: string | null;
  readonly packages: readonly string[];
}

/**
 * Unpacks the first choice that can be had (apt checks the signatures; nothing is installed, no root is
 * needed) into a temporary folder, and hands that to `take`, whose failure makes it try the next choice.
 * @throws Error with `howToProvide`, and all problems as its cause.
 */
export async function takeFromDebian(
  name: string,
  choices: readonly PackageChoice[],
  howToProvide: string,
  take: (folder: string) => Promise<void>,
): Promise<void> {
  const problems: unknown[] = [];
  for (const choice of choices) {
    const folder = await mkdtemp(join(toolsFolder(), `${name}-package-`));
    try {
      await download(folder, choice);
      await take(join(folder, 'unpacked'));
      return;
    } catch (error) {
      problems.push(error);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  }
  throw new Error(howToProvide, { cause: problems });
}

/** Fetches the packages with private lists and cache, and unpacks them into `<folder>/unpacked`. */
async function download(folder: string, { suite, packages }: PackageChoice): Promise<void> {
  const lists = join(folder, 'lists');
  const cache = join(folder, 'cache');
  const sources = suite === null ? [] : await sourcesOf(suite, folder);
  await mkdir(join(lists, 'partial'), { recursive: true });
  await mkdir(join(cache, 'archives', 'partial'), { recursive: true });
  const options = ['-q', '-o', `Dir::State::lists=${lists}`, '-o', `Dir::Cache=${cache}`, ...sources];
  // As root, apt would download as a user of its own, who cannot write into these folders.
  if (process.getuid?.() === 0) options.push('-o', 'APT::Sandbox::User=root');
  await apt([...options, 'update'], folder);
  await apt([...options, 'download', ...packages], folder);
  const files = (await readdir(folder)).filter((file) => file.endsWith('.deb'));
  for (const file of files)
    await runProgram('dpkg-deb', ['-x', join(folder, file), join(folder, 'unpacked')], { cwd: folder });
}

function apt(args: readonly string[], cwd?: string): Promise<string> {
  const proxies = Object.entries(process.env).filter(([name]) => ofApt.includes(name));
  return runProgram('apt-get', args, { cwd, env: serverEnvironment(Object.fromEntries(proxies)) });
}

/** apt options for one suite of Debian alone. @throws Error where the machine is no Debian. */
async function sourcesOf(suite: string, folder: string): Promise<string[]> {
  const sites = await apt(['indextargets', '--format', '$(SITE)']);
  const site = sites.split('\n').find((line) => /\/debian\/?$/.test(line.trim()));
  const keyring = (await Promise.all(keyrings.map(async (path) => ((await isReadable(path)) ? [path] : [])))).flat()[0];
  if (!site || !keyring) throw new Error('This machine takes no packages from Debian.');
  const list = join(folder, 'sources.list');
  await writeFile(list, `deb [signed-by=${keyring}] ${site.trim()} ${suite} main\n`);
  return ['-o', `Dir::Etc::sourcelist=${list}`, '-o', 'Dir::Etc::sourceparts=-'];
}
