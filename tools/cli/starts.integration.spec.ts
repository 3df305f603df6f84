import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { workspaceRoot } from '../stack/workspace-root';

const built = join(workspaceRoot, 'dist/tools/cli');

beforeAll(() => {
  execFileSync(process.execPath, ['tools/build.mjs', 'tools/cli'], { cwd: workspaceRoot, stdio: 'inherit' });
});

/**
 * The packages that a command line loads, of which some stand in one file: a package is known by the modules
 * that are made of it, and by the files of node_modules.
 */
function loadedBy(commandLine: string): string[] {
  const tell = `
    process.on('exit', () => {
      const files = Object.keys(require.cache).map((path) => /node_modules\\/((?:@[^/]+\\/)?[^/]+)/.exec(path)?.[1]);
      process.stderr.write('loaded ' + JSON.stringify([...new Set([...files, ...together])]));
    });
    const together = [];
    const { _load } = module.constructor;
    module.constructor._load = (request, ...more) => {
      const loaded = _load(request, ...more);
      if (!request.endsWith('packages.js')) return loaded;
      return new Proxy(loaded, { get: (of, name) => (together.push(name.split('/')[0]), of[name]) });
    };
    require(${JSON.stringify(join(built, 'main.js'))});`;
  const { stderr } = spawnSync(process.execPath, ['-e', tell, 'tollgate', ...commandLine.split(' ')], {
    cwd: tmpdir(),
    encoding: 'utf8',
    env: { PATH: process.env.PATH, NATS_URL: 'nats://127.0.0.1:9' },
  });
  const [, list = 'null'] = /loaded (.*)$/.exec(stderr) ?? [];
  return (JSON.parse(list) as (string | null)[]).filter((name) => name !== null).sort();
}

it.each(['--version', '--help', 'completion bash', 'completion zsh', 'kyes list'])(
  'loads what reads command lines, and nothing else, for %s',
  (commandLine) => expect(loadedBy(commandLine)).toEqual(['commander']),
);

it.each(['keys --help', 'models set --help', 'doctor --help', 'keys list --unknown'])(
  'connects to nothing, and loads no client that would, for %s',
  (commandLine) => expect(['commander', 'zod']).toEqual(expect.arrayContaining(loadedBy(commandLine))),
);

it.each(['keys list', 'status', 'prices list'])('loads the client of NATS, and no other, for %s', (commandLine) =>
  expect(loadedBy(commandLine)).toEqual(['commander', 'nats', 'zod']),
);

it('prints the same of completion as a program without the file that was made with it', () => {
  const folder = mkdtempSync(join(tmpdir(), 'tollgate-cli-'));
  try {
    for (const name of ['main.js', 'packages.js']) cpSync(join(built, name), join(folder, 'dist', name));
    mkdirSync(join(folder, 'node_modules'));
    const environment = { PATH: process.env.PATH, NODE_PATH: join(workspaceRoot, 'node_modules') };
    const made = execFileSync(process.execPath, [join(folder, 'dist/main.js'), 'completion', 'zsh'], {
      env: environment,
    });
    expect(made.equals(readFileSync(join(built, 'completion.zsh')))).toBe(true);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

describe('what npm run tollgate runs', () => {
  let root: string;
  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'tollgate-sources-'));
    mkdirSync(join(root, 'dist'));
    for (const name of ['a.ts', 'b.ts']) writeFileSync(join(root, name), name);
    script(`noteSources(${JSON.stringify(root)}, ${JSON.stringify(join(root, 'dist'))}, ['a.ts', 'b.ts'])`);
  });
  afterEach(() => rmSync(root, { recursive: true }));

  const script = (text: string): string => {
    const module = JSON.stringify(join(__dirname, 'made-from.mjs'));
    const source = `import { isMadeFromThese, noteSources } from ${module}; ${text};`;
    return execFileSync(process.execPath, ['--input-type=module', '--eval', source], { encoding: 'utf8' });
  };
  const isCurrent = (): boolean =>
    script(`console.log(isMadeFromThese(${JSON.stringify(root)}, ${JSON.stringify(join(root, 'dist'))}))`) === 'true\n';

  it('is the built program, where it is made of the sources that are there', () => {
    expect(isCurrent()).toBe(true);
    writeFileSync(join(root, 'another.ts'), 'not in it');
    writeFileSync(join(root, 'a.ts'), 'a.ts');
    expect(isCurrent()).toBe(true);
  });

  it.each([
    ['a source was changed', () => writeFileSync(join(root, 'a.ts'), 'A.ts')],
    [
      'two sources were swapped',
      () => ['a', 'b'].map((name, at) => writeFileSync(join(root, `${name}.ts`), ['b.ts', 'a.ts'][at] ?? '')),
    ],
    ['a source is gone', () => rmSync(join(root, 'b.ts'))],
    ['nothing was built', () => rmSync(join(root, 'dist'), { recursive: true })],
  ])('is the sources, where %s', (_what, change) => {
    change();
    expect(isCurrent()).toBe(false);
  });
});
