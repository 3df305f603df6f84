import type { Operation, RunningInstance } from '@tollgate/contracts';
import { administrationOperations } from '@tollgate/contracts/accounts';
import { adminActOf, adminRouteOf, type EdgeRoute } from '@tollgate/contracts/edge';
import type { Command } from 'commander';
import type { z } from 'zod';

/** What commands ask: the control services of a running gateway. */
export interface Gateway {
  /**
   * Asks a service and returns its reply; waits two seconds unless told otherwise.
   * @throws ControlError with the service's own words when it refuses, `unavailable` when nobody answers.
   */
  call<Request extends z.ZodType, Reply extends z.ZodType>(
    operation: Operation<Request, Reply>,
    request: z.input<Request>,
    options?: { timeoutMs?: number },
  ): Promise<z.output<Reply>>;
  /**
   * Asks edge for what no service answers.
   * @throws Refusal without an admin API to ask by, ControlError and Refusal as `call`.
   */
  askEdge<Body extends z.ZodObject, Answer extends z.ZodType>(
    route: EdgeRoute<Body, Answer>,
    body: z.input<Body>,
  ): Promise<z.output<Answer>>;
  /** Notices of a subject that are heard in the next `forMs`, in the order in which they came. */
  hear<Notice extends z.ZodType>(subject: string, notice: Notice, forMs: number): Promise<z.output<Notice>[]>;
  /**
   * Every running instance that tells of itself within `waitMs`, by service; null: the server does not let
   * them be heard.
   */
  instances(waitMs: number): Promise<RunningInstance[] | null>;
}

/** Where a command writes: `human` is made into text only when no `--json` was asked for. */
interface Output {
  show(result: object, json: boolean | undefined, human: () => string): void;
}

/** Everything a command needs of the outside world. `actor` is who asks, for the audit log. */
export interface Surroundings {
  environment: NodeJS.ProcessEnv;
  gateway: Gateway;
  output: Output;
  actor: string;
}

/** Makes a command for where it runs. */
export type MakeCommand = (surroundings: Surroundings) => Command;

/** What a service does is written down, then done, by the name of who asks; what is only looked at is not. */
export async function doRecorded<Request extends z.ZodType, Reply extends z.ZodType>(
  { gateway, actor }: Pick<Surroundings, 'gateway' | 'actor'>,
  operation: Operation<Request, Reply>,
  asked: Omit<z.input<Request>, 'by'>,
  options?: { timeoutMs: number },
): Promise<z.output<Reply>> {
  if (adminRouteOf(operation.subject)?.act?.({ ...asked }) !== null)
    await gateway.call(administrationOperations.recordAct, { ...adminActOf(operation, asked), actor });
  return gateway.call(operation, { ...asked, by: actor } as z.input<Request>, options);
}
