import type { Operation } from '@tollgate/contracts';
import type { z } from 'zod';
import type { Gateway } from './gateway';
import { program } from './program';

/** Runs a command line against scripted replies; gives what was asked and what was printed. */
async function ran(commandLine: string, replies: unknown[]): Promise<{ asked: unknown[]; out: string }> {
  const asked: unknown[] = [];
  let out = '';
  const gateway: Gateway = {
    call: async <Request extends z.ZodType, Reply extends z.ZodType>(
      operation: Operation<Request, Reply>,
      request: z.input<Request>,
    ) => {
      asked.push({
        subject: operation.subject,
        ...(operation.request.parse(JSON.parse(JSON.stringify(request))) as object),
      });
      return operation.reply.parse(replies.shift());
    },
  };
  const output = {
    show: (result: object, json: boolean | undefined, human: () => string) => {
      out += json ? JSON.stringify(result) : human();
    },
  };
  const write = { out: (text: string) => void (out += text), error: (text: string) => void (out += text) };
  await program({ gateway, output, actor: 'cli:spec' }, write).parseAsync(commandLine.split(' '), { from: 'user' });
  return { asked, out };
}

const account = { name: 'A', email: 'a@example.com', status: 'active', plan: 'beta', createdAt: 0 };

describe('a list', () => {
  it('is read to its last page', async () => {
    const pages = [
      {
        accounts: [
          { ...account, id: '3' },
          { ...account, id: '2' },
        ],
        next: '2',
      },
      { accounts: [{ ...account, id: '1' }], next: null },
    ];
    const { asked, out } = await ran('accounts list --status active --json', pages);
    expect(asked).toEqual([
      { subject: 'accounts.accounts.list', status: 'active', limit: 500 },
      { subject: 'accounts.accounts.list', status: 'active', limit: 500, after: '2' },
    ]);
    expect((JSON.parse(out) as { accounts: { id: string }[] }).accounts.map(({ id }) => id)).toEqual(['3', '2', '1']);
  });

  it('says so when it is empty', async () => {
    expect((await ran('keys list', [{ keys: [], next: null }])).out).toBe('There are no keys.');
    expect((await ran('accounts list', [{ accounts: [], next: null }])).out).toBe('There are no accounts.');
  });
});

describe('a change', () => {
  it('names who makes it', async () => {
    const { asked } = await ran('accounts suspend a@example.com', [{ account: { ...account, id: '1' } }]);
    expect(asked).toEqual([
      { subject: 'accounts.accounts.set-status', account: 'a@example.com', status: 'suspended', actor: 'cli:spec' },
    ]);
  });
});
