import { eventually } from '@tollgate/testing';
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { workspaceRoot } from '../../stack/workspace-root';
import type { TestStack } from '../test-stack';

let test: TestStack;

/**
 * Runs the command line beside a stack, as it was built last (the gate builds first; else
 * `node --import tsx tools/checks/build.ts`). Returns what it printed.
 * @throws Error with `stdout` where it exits with another code than 0.
 */
export async function runTollgate({ stack }: TestStack, ...args: string[]): Promise<string> {
  const { stdout } = await promisify(execFile)(process.execPath, ['dist/tools/cli/main.js', ...args], {
    cwd: workspaceRoot,
    env: { ...process.env, NATS_URL: stack.natsUrl },
  });
  return stdout;
}

const tollgate = (...args: string[]): Promise<string> => runTollgate(test, ...args);

const statusWith = async (apiKey: string) => {
  const response = await fetch(`${test.stack.baseUrl}/v1/models`, { headers: { authorization: `Bearer ${apiKey}` } });
  return response.status;
};

export function cli(shared: () => TestStack): void {
  beforeAll(() => {
    test = shared();
  });

  it('makes a key with limits and models of its own that works at once, lists it, and revokes it', async () => {
    const made = JSON.parse(
      await tollgate(
        ...['keys', 'create', '--plan', 'enterprise', '--rpm', '100000', '--quota', '1000000000'],
        ...['--models', 'openai/*', '--name', 'load', '--json'],
      ),
    ) as { apiKey: string; key: { id: string } };
    expect(made).toMatchObject({
      key: { name: 'load', rpm: 100_000, quotaTokens: 1_000_000_000, models: ['openai/*'] },
    });
    expect(await statusWith(made.apiKey)).toBe(200);
    expect(await tollgate('keys', 'list')).toContain('load');
    await tollgate('keys', 'revoke', made.key.id);
    expect(
      await eventually(
        () => statusWith(made.apiKey),
        (status) => status === 401,
        1_000,
      ),
    ).toBe(401);
  });

  it('lists the models', async () => {
    expect(await tollgate('models', 'list')).toContain('openai/gpt-5.4-mini');
  });

  it('recounts usage from the raw events and finds no difference', async () => {
    const { apiKey, key } = await test.stack.createKey({ name: 'recount', plan: 'pro' });
    const response = await fetch(`${test.stack.baseUrl}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'openai/gpt-5.4-mini', messages: [{ role: 'user', content: 'Hi' }] }),
    });
    expect(response.status).toBe(200);
    const recount = async () =>
      JSON.parse(await tollgate('usage', 'recount', '--key', key.id, '--json')) as Record<string, unknown>;
    expect(await eventually(recount, ({ requests }) => requests === 1, 5_000)).toMatchObject({
      requests: 1,
      differences: [],
    });
  });
}
