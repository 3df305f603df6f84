import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { commandsOf, readmeBlocks } from '../../checks/readme-blocks';
import { workspaceRoot } from '../../stack/workspace-root';
import type { TestStack } from '../test-stack';

const blocks = readmeBlocks(readFileSync(join(workspaceRoot, 'README.md'), 'utf8')).filter(
  ({ check }) => check === 'run',
);
/** Inside the checkout, so that a program there finds the installed packages. */
mkdirSync(join(workspaceRoot, '.tollgate'), { recursive: true });
const scratch = mkdtempSync(join(workspaceRoot, '.tollgate', 'readme-'));
let test: TestStack;
let apiKey: string;

export function readme(shared: () => TestStack): void {
  beforeAll(async () => {
    test = shared();
    apiKey = (await test.stack.createKey({ name: 'reader', plan: 'pro' })).apiKey;
  });
  afterAll(() => rmSync(scratch, { recursive: true }));

  /** Runs what the README shows, against this stack's address. Rejects when it fails. */
  async function run(program: string, args: string[]): Promise<string> {
    const env = { ...process.env, TOLLGATE_KEY: apiKey, NATS_URL: test.stack.natsUrl };
    const { stdout } = await promisify(execFile)(program, args, { cwd: workspaceRoot, env });
    return stdout;
  }
  const here = (text: string) => text.replaceAll('http://127.0.0.1:8080', test.stack.baseUrl);

  const commands = blocks.filter(({ language }) => language === 'sh').flatMap(commandsOf);
  it.each(commands)('runs: %s', async (command) => {
    // curl ends well whatever the server answers, unless it is told to fail.
    const output = await run('sh', ['-c', here(command).replace(/^curl /, 'curl --silent --show-error --fail ')]);
    expect(output).not.toBe('');
  });

  it.each(blocks.filter(({ language }) => language === 'js').map(({ line, text }) => [line, text] as const))(
    'runs the program at line %i',
    async (line, text) => {
      const file = join(scratch, `line-${line}.mjs`);
      writeFileSync(file, here(text));
      expect((await run(process.execPath, [file])).length).toBeGreaterThan(20);
    },
  );
}
