import { Injectable } from '@nestjs/common';
import type { z } from 'zod';
import { GatewayError, type Operation, type RunningInstance } from '@tollgate/contracts';
import { askInstances, type CallPatience, ControlClient } from '@tollgate/messaging';
import { Clock } from '../clock';
import { Authenticator } from '../callers/authenticator';
import { ModelCatalog } from '../catalog/model-catalog';
import { toGatewayError } from '../errors/to-gateway-error';
import { GenerationEndpoint } from '../generation/generation-endpoint';
import { MessagingLink } from '../messaging-link';
import { DeploymentStates } from './admin/deployment-states';
import { InferenceInstances } from './admin/inference-instances';
import { readReachedBudgets } from './account/listed-budget';

/** What is dear to ask for, and the same for everybody: one question answers all who come within some time. */
export class SharedAnswer<Answer> {
  private asked: { answer: Promise<Answer>; untilMs: number } | null = null;

  /** `keptMs`: from when an answer came it is told for so long. */
  constructor(
    private readonly clock: Clock,
    private readonly keptMs: number,
    private readonly ask: () => Promise<Answer>,
  ) {}

  /** @throws what asking threw, to everybody who waits for it; the next one asks anew. */
  read(): Promise<Answer> {
    if (!this.asked || this.clock.monotonicMs() >= this.asked.untilMs) this.asked = this.begin();
    return this.asked.answer;
  }

  private begin(): { answer: Promise<Answer>; untilMs: number } {
    const asked = { answer: this.ask(), untilMs: Number.POSITIVE_INFINITY };
    void asked.answer.then(
      () => (asked.untilMs = this.clock.monotonicMs() + this.keptMs),
      () => (asked.untilMs = 0),
    );
    return asked;
  }
}

/**
 * Passwords are hashed, and reports are added up, in the way of an answer; none may take longer than 5 s to
 * begin, also while a service hangs.
 */
const patienceMs = 4_500;
const instancesWaitMs = 500;
/** Metering looks through all budgets for it, and every open page of an administrator asks. */
const reachedKeptMs = 10_000;

/** Everything behind the dashboard's routes. */
@Injectable()
export class DashboardServices {
  /** Which budgets are near their end, as of some seconds ago. */
  readonly reachedBudgets: SharedAnswer<ReadonlyMap<string, boolean>>;

  constructor(
    private readonly control: ControlClient,
    private readonly link: MessagingLink,
    readonly catalog: ModelCatalog,
    readonly authenticator: Authenticator,
    readonly generations: GenerationEndpoint,
    readonly instances: InferenceInstances,
    readonly deployments: DeploymentStates,
    clock: Clock,
  ) {
    this.reachedBudgets = new SharedAnswer(clock, reachedKeptMs, () => readReachedBudgets(this));
  }

  /**
   * Asks another service, for 4.5 s unless told otherwise.
   * @throws GatewayError its refusal as the reader of a page may see it: 400, 403, 404, or 503 while the
   * service is away.
   */
  async ask<Request extends z.ZodType, Reply extends z.ZodType>(
    operation: Operation<Request, Reply>,
    request: z.input<Request>,
    patience: CallPatience = { timeoutMs: patienceMs },
  ): Promise<z.output<Reply>> {
    try {
      return await this.control.call(operation, request, patience);
    } catch (error) {
      throw toGatewayError(error) ?? error;
    }
  }

  /**
   * Every instance of every service that tells of itself within half a second; none where the server lets
   * none be heard.
   */
  async running(): Promise<RunningInstance[]> {
    return (await askInstances(this.link.connection, instancesWaitMs)) ?? [];
  }

  /** As `ask`; null while the service is away, for what a page can do without. */
  async askIfThere<Request extends z.ZodType, Reply extends z.ZodType>(
    operation: Operation<Request, Reply>,
    request: z.input<Request>,
  ): Promise<z.output<Reply> | null> {
    try {
      return await this.ask(operation, request, { timeoutMs: patienceMs, absentMs: 0 });
    } catch (error) {
      if (error instanceof GatewayError && error.status === 503) return null;
      throw error;
    }
  }
}
