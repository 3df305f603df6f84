import { Inject, Injectable, Logger } from '@nestjs/common';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { countTextTokens } from '@tollgate/dialects';
import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { ControlError } from '../behaviour/behaviour';
import type { Behaviour } from '../behaviour/behaviour';
import {
  controlsInHeaders,
  controlsInText,
  readBehaviour,
  splitModel,
  withoutControls,
} from '../behaviour/read-behaviour';
import { Breath } from '../breath/breath';
import { Ledger } from '../ledger/ledger';
import { newRow } from '../ledger/new-row';
import { planAnswer } from './answer-plan';
import { Connection } from './connection';
import { Refusal } from './neutral-request';
import { isRecord } from './record';
import { speak } from './speak';
import { statusMessages } from './voice';
import type { Spoken, Voice, VoicePath } from './voice';

/** The behaviour without controls. */
export const DEFAULT_BEHAVIOUR = Symbol('default behaviour');

/** A request that was understood. */
interface Heard {
  spoken: Spoken;
  behaviour: Behaviour;
  stream: boolean;
}

/** Serves voices: reads requests, plans answers, keeps the books. Every dialect but chat completions, whose routes are made for load. */
@Injectable()
export class VoiceRoutes {
  private readonly logger = new Logger(VoiceRoutes.name);
  /** How often a flapping model was asked. */
  private readonly flaps = new Map<string, number>();

  constructor(
    @Inject(DEFAULT_BEHAVIOUR) private readonly defaults: Behaviour,
    private readonly ledger: Ledger,
    private readonly breath: Breath,
  ) {}

  register(app: NestFastifyApplication, voices: readonly Voice[]): void {
    const server = app.getHttpAdapter().getInstance();
    for (const voice of voices)
      for (const path of voice.paths)
        server.post(`/${voice.dialect}${path.path}`, (request, reply) => {
          void reply.hijack();
          const body = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0);
          const { model, '*': rest } = isRecord(request.params) ? request.params : {};
          const named = [model, rest].find((name) => typeof name === 'string') ?? null;
          this.answer(voice, path, named, request.raw, body, reply.raw).catch((error: unknown) => {
            this.logger.error(error);
            reply.raw.destroy();
          });
        });
  }

  private async answer(
    voice: Voice,
    path: VoicePath,
    model: string | null,
    request: IncomingMessage,
    body: Buffer,
    response: ServerResponse,
  ): Promise<void> {
    if (this.breath.isHeld) await this.breath.free();
    if (response.closed) return;
    const row = this.ledger.book(newRow(request.headers['x-client-request-id']));
    const connection = new Connection(response, this.breath, row);
    const heard = this.hear(voice, path, model, request, body, row);
    if ('refusal' in heard) {
      const { body: text, headers } = voice.error(400, heard.refusal.message, heard.refusal.type);
      return connection.answer(400, { 'content-type': 'application/json', ...headers }, text, 0, 'refused');
    }
    const { behaviour, spoken, stream } = heard;
    await connection.wait(behaviour.headersMs);
    if (behaviour.status === null) return speak(connection, voice, spoken, behaviour, stream);
    const { status, retryAfterS } = behaviour;
    const message = statusMessages[status] ?? `The sandbox was told to answer ${status}.`;
    const { body: text, headers } = voice.error(status, message, null);
    const retry: Record<string, string> = retryAfterS === null ? {} : { 'retry-after': String(retryAfterS) };
    return connection.answer(status, { 'content-type': 'application/json', ...headers, ...retry }, text, 0, 'refused');
  }

  private hear(
    voice: Voice,
    path: VoicePath,
    named: string | null,
    request: IncomingMessage,
    body: Buffer,
    row: ReturnType<typeof newRow>,
  ): Heard | { refusal: Refusal } {
    try {
      const neutral = voice.read(parse(body), named, path.stream);
      const { name, controls } = splitModel(neutral.model);
      const texts = [controls, controlsInHeaders(request.headers), controlsInText(neutral.userText)];
      const behaviour = this.flapping(name, readBehaviour(this.defaults, texts));
      const answer = planAnswer(neutral, withoutControls(neutral.userText), behaviour);
      const inputTokens = countTextTokens(neutral.inputText);
      const { outputTokens, reasoningTokens } = answer;
      const cachedTokens = neutral.isCached ? Math.floor(inputTokens / 2) : 0;
      const usage = { inputTokens, cachedTokens, outputTokens, reasoningTokens };
      row.model = name;
      row.stream = neutral.stream;
      row.fault = behaviour.fault ?? (behaviour.status === null ? null : `${behaviour.status}`);
      row.inputTokens = behaviour.status === null && behaviour.fault !== 'html' ? inputTokens : 0;
      const spoken: Spoken = {
        answer,
        model: name,
        usage: behaviour.fault === 'no_usage' ? null : usage,
        newId: () => randomUUID().replaceAll('-', ''),
        nowS: Math.floor(Date.now() / 1_000),
      };
      return { spoken, behaviour, stream: neutral.stream };
    } catch (error) {
      if (error instanceof Refusal) return { refusal: error };
      if (error instanceof ControlError) return { refusal: new Refusal(error.message) };
      throw error;
    }
  }

  /** Every second request of a flapping model fails, the first one first. */
  private flapping(model: string, behaviour: Behaviour): Behaviour {
    if (behaviour.fault !== 'flap') return behaviour;
    const asked = (this.flaps.get(model) ?? 0) + 1;
    this.flaps.set(model, asked);
    return asked % 2 === 1 ? { ...behaviour, status: 500 } : behaviour;
  }
}

function parse(body: Buffer): Record<string, unknown> {
  let parsed: unknown;
  try {
    parsed = JSON.parse(body.toString('utf8'));
  } catch {
    throw new Refusal('The request body is not valid JSON.');
  }
  if (!isRecord(parsed)) throw new Refusal('The request body must be a JSON object.');
  return parsed;
}
