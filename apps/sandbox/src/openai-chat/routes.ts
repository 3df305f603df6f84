import { Injectable, Logger } from '@nestjs/common';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { ControlError } from '../behaviour/behaviour';
import { controlsInHeaders } from '../behaviour/read-behaviour';
import { Breath } from '../breath/breath';
import { Ledger } from '../ledger/ledger';
import type { LedgerRow } from '../ledger/ledger';
import { newRow } from '../ledger/new-row';
import { Connection } from '../voice/connection';
import { answer } from './exchange';
import { Planner } from './planner';
import type { Plan } from './planner';
import { renderError } from './render';
import { RequestError } from './request-error';

const basePath = '/openai-chat';
const modelNames = ['sandbox-small', 'sandbox-large'];
const firstModelMadeAt = 1_700_000_000;

/** The simulated OpenAI-compatible API. Raw handlers: this is also what benchmarks load. */
@Injectable()
export class OpenaiChatRoutes {
  private readonly logger = new Logger(OpenaiChatRoutes.name);
  /** How often a flapping model was asked. */
  private readonly flaps = new Map<string, number>();

  constructor(
    private readonly planner: Planner,
    private readonly ledger: Ledger,
    private readonly breath: Breath,
  ) {}

  register(app: NestFastifyApplication): void {
    const server = app.getHttpAdapter().getInstance();
    server.post(`${basePath}/chat/completions`, (request, reply) => {
      void reply.hijack();
      const body = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0);
      this.complete(request.raw, body, reply.raw).catch((error: unknown) => {
        this.logger.error(error);
        reply.raw.destroy();
      });
    });
    server.get(`${basePath}/models`, () => ({
      object: 'list',
      data: modelNames.map((id) => ({ id, object: 'model', created: firstModelMadeAt, owned_by: 'sandbox' })),
    }));
  }

  private async complete(request: IncomingMessage, body: Buffer, response: ServerResponse): Promise<void> {
    if (this.breath.isHeld) await this.breath.free();
    if (response.closed) return;
    const row = this.ledger.book(newRow(request.headers['x-client-request-id']));
    const connection = new Connection(response, this.breath, row);
    const plan = this.plan(request, body, row);
    if (typeof plan === 'string')
      return connection.answer(400, { 'content-type': 'application/json' }, plan, 0, 'refused');
    await answer(connection, plan, headerText(request.headers.authorization));
  }

  /** The plan, with the row filled in; or the body of a 400. */
  private plan(request: IncomingMessage, body: Buffer, row: LedgerRow): Plan | string {
    try {
      const plan = this.flapping(this.planner.plan(body, controlsInHeaders(request.headers)));
      row.model = plan.model;
      row.stream = plan.request.stream;
      row.fault = plan.behaviour.fault ?? (plan.behaviour.status === null ? null : `${plan.behaviour.status}`);
      row.inputTokens = plan.behaviour.status === null && plan.behaviour.fault !== 'html' ? plan.inputTokens : 0;
      return plan;
    } catch (error) {
      if (error instanceof RequestError)
        return renderError(error.message, 'invalid_request_error', error.param, error.code);
      if (error instanceof ControlError)
        return renderError(error.message, 'invalid_request_error', null, 'sandbox_control');
      throw error;
    }
  }

  /** Every second request of a flapping model fails, the first one first. */
  private flapping(plan: Plan): Plan {
    if (plan.behaviour.fault !== 'flap') return plan;
    const asked = (this.flaps.get(plan.model) ?? 0) + 1;
    this.flaps.set(plan.model, asked);
    return asked % 2 === 1 ? { ...plan, behaviour: { ...plan.behaviour, status: 500 } } : plan;
  }
}

function headerText(value: string | string[] | undefined): string {
  return typeof value === 'string' ? value : (value?.[0] ?? '');
}
