import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { attempt, shelve } from '../clients/install';

const buildTimeoutMs = 3_600_000;
/** Holds the headers of the same llama.cpp, in a folder that is called vendor. */
const headers = { package: 'llama-cpp-python', version: '0.3.36', folder: 'vendor/llama.cpp/vendor' };

/**
 * Builds Ollama from its Go module, unless it is there: some eleven minutes, on whatever nobody else wants of
 * the machine. A module has no folder that is called vendor
 * (https://go.dev/ref/mod#zip-path-size-constraints), so the headers in it come from elsewhere.
 * Returns the folder with bin/ollama. @throws AbsentError without a Go, a compiler or the registries
 */
export function buildOllama(module: string): Promise<string> {
  return shelve(module, async (folder) => {
    const source = `${headers.package.replaceAll('-', '_')}-${headers.version}`;
    const pinned = `${headers.package}==${headers.version}`;
    const download = ['download', '--quiet', '--no-deps', '--no-binary', headers.package, '--dest', folder, pinned];
    await attempt('python3', ['-m', 'pip', ...download], folder);
    await attempt('tar', ['-xzf', `${source}.tar.gz`, `${source}/${headers.folder}`], folder);
    const environment = {
      GOBIN: join(folder, 'bin'),
      GOPATH: join(folder, 'go'),
      GOCACHE: join(folder, 'cache'),
      GOFLAGS: '-modcacherw',
      CGO_ENABLED: '1',
      CGO_CPPFLAGS: `-I${join(folder, source, headers.folder)}`,
    };
    await attempt('nice', ['-n', '19', 'go', 'install', module], folder, { timeoutMs: buildTimeoutMs, environment });
    for (const used of ['go', 'cache', source, `${source}.tar.gz`])
      rmSync(join(folder, used), { recursive: true, force: true });
  });
}
