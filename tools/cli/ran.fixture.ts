import { runningInstance } from '@tollgate/contracts';
import type { Operation } from '@tollgate/contracts';
import { z } from 'zod';
import type { Gateway } from './gateway';
import { program } from './program';

/** Runs a command line (words between spaces) against scripted replies; gives what was asked and what was printed. */
export async function ran(
  commandLine: string,
  replies: unknown[],
  environment: NodeJS.ProcessEnv = {},
): Promise<{ asked: unknown[]; out: string }> {
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
    hear: async <Notice extends z.ZodType>(subject: string, notice: Notice, forMs: number) => {
      asked.push({ subject, forMs });
      return z.array(notice).parse(replies.shift());
    },
    instances: async () => z.array(runningInstance).nullable().parse(replies.shift()),
  };
  const output = {
    show: (result: object, json: boolean | undefined, human: () => string) => {
      out += json ? JSON.stringify(result) : human();
    },
  };
  const write = { out: (text: string) => void (out += text), error: (text: string) => void (out += text) };
  await program({ environment, gateway, output, actor: 'cli:spec' }, write).parseAsync(commandLine.split(' '), {
    from: 'user',
  });
  return { asked, out };
}
