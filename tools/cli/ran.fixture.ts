import { runningInstance } from '@tollgate/contracts';
import type { Operation } from '@tollgate/contracts';
import type { EdgeRoute } from '@tollgate/contracts/edge';
import { z } from 'zod';
import type { Gateway } from './gateway';
import { program } from './program';

/** A model as catalog tells it. */
export const fastModel = {
  ...{ id: 'groq/fast', name: 'Fast', provider: 'groq', created: 1, status: 'active', contextWindow: null },
  ...{ maxOutputTokens: null, inputModalities: ['text'], outputModalities: ['text'], aliases: [], fallbacks: [] },
  capabilities: {
    ...{ streaming: true, tools: true, vision: false, reasoning: false, structuredOutput: true, temperature: true },
  },
  prices: { input: '1', output: '2' },
  deployments: [{ id: 'groq:fast', provider: 'groq', upstreamModel: 'fast' }],
};

/**
 * Runs a command line (words between spaces) against scripted replies, of which an error is thrown; gives
 * what was asked and what was printed. `onOut` hears what is printed of one that fails, too.
 */
export async function ran(
  commandLine: string,
  replies: unknown[],
  environment: NodeJS.ProcessEnv = {},
  onOut: (text: string) => void = () => undefined,
): Promise<{ asked: unknown[]; out: string }> {
  const asked: unknown[] = [];
  let out = '';
  const print = (text: string): void => {
    out += text;
    onOut(text);
  };
  const replyOf = <Reply extends z.ZodType>(shape: Reply): z.output<Reply> => {
    const reply = replies.shift();
    if (reply instanceof Error) throw reply;
    return shape.parse(reply);
  };
  const gateway: Gateway = {
    call: async <Request extends z.ZodType, Reply extends z.ZodType>(
      operation: Operation<Request, Reply>,
      request: z.input<Request>,
    ) => {
      asked.push({
        subject: operation.subject,
        ...(operation.request.parse(JSON.parse(JSON.stringify(request))) as object),
      });
      return replyOf(operation.reply);
    },
    askEdge: async <Body extends z.ZodObject, Answer extends z.ZodType>(
      { path, body: shape, answer }: EdgeRoute<Body, Answer>,
      body: z.input<Body>,
    ) => {
      asked.push({ path, ...(shape.parse(JSON.parse(JSON.stringify(body))) as object) });
      return replyOf(answer);
    },
    hear: async <Notice extends z.ZodType>(subject: string, notice: Notice, forMs: number) => {
      asked.push({ subject, forMs });
      return z.array(notice).parse(replies.shift());
    },
    instances: async () => z.array(runningInstance).nullable().parse(replies.shift()),
  };
  const output = {
    show: (result: object, json: boolean | undefined, human: () => string) => {
      print(json ? JSON.stringify(result) : human());
    },
  };
  const write = { out: print, error: print };
  const words = commandLine.split(' ');
  const root = await program({ environment, gateway, output, actor: 'cli:spec' }, write, words);
  await root.parseAsync(words, { from: 'user' });
  return { asked, out };
}
