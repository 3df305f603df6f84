import { randomUUID } from 'node:crypto';
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { Injectable, Logger } from '@nestjs/common';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { hash } from '../answer/hash';
import { ControlError, type Behaviour } from '../behaviour/behaviour';
import { controlsInHeaders } from '../behaviour/read-behaviour';
import { ModelList } from '../control/model-list';
import { Pause } from '../control/pause';
import { Ledger, type LedgerRow } from '../ledger/ledger';
import { newRow } from '../ledger/new-row';
import { isRecord, readRecord } from '../request/record';
import { Refusal, type RefusalDetails } from '../request/refusal';
import { Connection } from './connection';
import { Hearing, type Heard } from './hearing';
import type { Addressed, Dialect, Spoken } from './simulated-dialect';
import { speak } from './speak';

/**
 * OpenAI's words for one request that is larger than all tokens of a minute, which says nothing of its load:
 * https://github.com/DrShushen/climb/issues/13
 */
const tooLarge =
  'Request too large for gpt-4o in organization org-sandbox on tokens per min (TPM): Limit 30000, Requested 30601. ' +
  'The input or output tokens must be reduced in order to run successfully.';

/** How OpenAI's error object names it; other dialects have their usual type for the status. */
function ofTokens({ name: dialect }: Dialect): RefusalDetails {
  return dialect.startsWith('openai') ? { type: 'tokens', code: 'rate_limit_exceeded' } : {};
}

/** The dialect's own words are taken for a status that a control asked for. */
class ToldStatus extends Refusal {
  constructor(status: number) {
    super('', { status });
  }
}

/** The refusal that the controls ask for; null: none. */
function refusalOf(dialect: Dialect, { status, fault }: Behaviour, inputTokens: number): Refusal | null {
  if (status !== null) return new ToldStatus(status);
  if (fault === 'overloaded') return new ToldStatus(dialect.overloadedStatus);
  if (fault === 'too_large') return new Refusal(tooLarge, { ...ofTokens(dialect), status: 429 });
  if (fault === 'unknown_file') return new Refusal('No such File object: file-gone', { status: 404 });
  return fault === 'context' ? dialect.tooLong(inputTokens) : null;
}

/** Tells a refusal in the dialect's shape. `key`: the credential that came. */
async function tellRefusal(
  connection: Connection,
  dialect: Dialect,
  refusal: Refusal,
  key: string,
  retry: Pick<Behaviour, 'retryAfterS' | 'retryAsDate'> = { retryAfterS: null, retryAsDate: false },
): Promise<void> {
  const { status = 400, type = null, param = null, code = null, more = null } = refusal.details;
  const message = refusal instanceof ToldStatus ? null : refusal.message;
  const { retryAfterS } = retry;
  const { body, headers } = dialect.error({ status, message, type, param, code, more, key, retryAfterS });
  const all = { 'content-type': 'application/json', ...headers, ...retryHeader(retry) };
  return connection.answer(status, all, body, 0, 'refused');
}

/** In both forms that HTTP has: https://www.rfc-editor.org/rfc/rfc9110#field.retry-after */
function retryHeader({
  retryAfterS,
  retryAsDate,
}: Pick<Behaviour, 'retryAfterS' | 'retryAsDate'>): Record<string, string> {
  if (retryAfterS === null) return {};
  const value = retryAsDate ? new Date(Date.now() + retryAfterS * 1_000).toUTCString() : String(retryAfterS);
  return { 'retry-after': value };
}

/**
 * Serves dialects: reads requests, plans answers, keeps the books. Raw handlers: this is also what benchmarks
 * load.
 */
@Injectable()
export class DialectRoutes {
  private readonly logger = new Logger(DialectRoutes.name);
  /** How often a flapping model was asked. */
  private readonly flaps = new Map<string, number>();

  constructor(
    private readonly hearing: Hearing,
    private readonly list: ModelList,
    private readonly ledger: Ledger,
    private readonly pause: Pause,
  ) {}

  register(app: NestFastifyApplication, dialects: readonly Dialect[]): void {
    const server = app.getHttpAdapter().getInstance();
    for (const dialect of dialects)
      for (const { path, stream } of dialect.paths)
        server.post(`/${dialect.name}${path}`, (request, reply) => {
          void reply.hijack();
          const body = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0);
          const { model, '*': rest } = isRecord(request.params) ? request.params : {};
          const named = [model, rest].find((name) => typeof name === 'string') ?? null;
          const { 'anthropic-version': version = '', 'openai-beta': openai = '' } = request.headers;
          const { 'anthropic-beta': betas = openai } = request.headers;
          const query = request.url.split('?')[1] ?? '';
          const provider = String(request.headers['x-simulated-provider'] ?? '');
          const account = hash(credentialIn(request.headers)).toString(36);
          const own = { version: String(version), betas: String(betas), provider, account };
          const addressed = { path, model: named, stream, query, ...own };
          if (dialect.counting?.isAsked(addressed)) return count(dialect, addressed, body, reply.raw);
          this.answer(dialect, addressed, request.raw, body, reply.raw).catch((error: unknown) => {
            this.logger.error(error);
            reply.raw.destroy();
          });
        });
  }

  private async answer(
    dialect: Dialect,
    addressed: Addressed,
    { headers }: IncomingMessage,
    body: Buffer,
    response: ServerResponse,
  ): Promise<void> {
    if (this.pause.isHeld) await this.pause.free();
    if (response.closed) return;
    const row = this.ledger.book(newRow(headers['x-client-request-id']));
    const connection = new Connection(response, this.pause, row);
    const key = credentialIn(headers);
    const heard = this.hear(dialect, addressed, body, headers);
    if (heard instanceof Refusal) return tellRefusal(connection, dialect, heard, key);
    const behaviour = this.flapping(heard);
    const refusal = refusalOf(dialect, behaviour, heard.usage.inputTokens);
    book(row, heard, behaviour, refusal !== null);
    await connection.wait(behaviour.headersMs);
    if (refusal) return tellRefusal(connection, dialect, refusal, key, behaviour);
    return speak(connection, dialect, spokenOf(heard, row), behaviour);
  }

  private hear(dialect: Dialect, addressed: Addressed, body: Buffer, headers: IncomingHttpHeaders): Heard | Refusal {
    try {
      const heard = this.hearing.hear(dialect, addressed, body, controlsInHeaders(headers));
      const model = this.list.served(heard.model);
      if (model === null) return new ToldStatus(404);
      return model === heard.model ? heard : { ...heard, model };
    } catch (error) {
      if (error instanceof Refusal) return error;
      if (error instanceof ControlError) return new Refusal(error.message, { code: 'sandbox_control' });
      throw error;
    }
  }

  /** Every second request of a flapping model fails, the first one first. */
  private flapping({ model, behaviour }: Heard): Behaviour {
    if (behaviour.fault !== 'flap') return behaviour;
    const asked = (this.flaps.get(model) ?? 0) + 1;
    this.flaps.set(model, asked);
    return asked % 2 === 1 ? { ...behaviour, status: 500 } : behaviour;
  }
}

/** Tells how many input tokens a request has; the books know nothing of it. */
function count(dialect: Dialect, addressed: Addressed, body: Buffer, response: ServerResponse): void {
  response.setHeader('content-type', 'application/json');
  try {
    response.end(countedBy(dialect, addressed, body));
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    const { message, details } = error;
    const { status = 400, type = null, param = null, code = null } = details;
    response.statusCode = status;
    response.end(dialect.error({ status, message, type, param, code, key: '', retryAfterS: null }).body);
  }
}

/** An error costs nothing. */
function book(
  row: LedgerRow,
  { request, model, usage, choices }: Heard,
  { fault, status }: Behaviour,
  isRefused: boolean,
): void {
  row.model = model;
  row.stream = request.stream;
  row.fault = fault ?? (status === null ? null : `${status}`);
  const isFree = isRefused || fault === 'html';
  row.served = request.served ?? [];
  row.inputTokens = isFree ? 0 : usage.inputTokens;
  row.seen = (isFree ? undefined : request.seen) ?? { image: 0, video: 0 };
  row.audioInputTokens = isFree ? 0 : usage.audioInputTokens;
  row.cacheReadTokens = isFree ? 0 : usage.cacheReadTokens;
  row.cacheWriteTokens = isFree ? 0 : usage.cacheWriteTokens;
  row.cacheWrite1hTokens = isFree ? 0 : usage.cacheWrite1hTokens;
  row.units = isFree ? {} : unitsOf(request, choices);
  row.samplings = isFree ? [] : (request.samplings ?? []);
  row.answeredBy = request.answeredBy ?? null;
}

/** One search serves all choices. Images are charged by tokens, which are among the fees. */
function unitsOf({ hosted = [], fees = {} }: Heard['request'], [answer]: Heard['choices']): Record<string, number> {
  const used = answer.hosted.filter((tool) => tool !== 'imageGeneration').map((tool) => [tool, 1] as const);
  const isDone = answer.hosted.length === hosted.length;
  return { ...Object.fromEntries(used), ...(isDone && fees) };
}

function spokenOf({ request, model, behaviour, choices, usage }: Heard, { answerId }: LedgerRow): Spoken {
  return {
    request,
    choices,
    model,
    usage: behaviour.fault === 'no_usage' ? null : usage,
    answerId,
    newId: () => randomUUID().replaceAll('-', ''),
    nowS: Math.floor(Date.now() / 1_000),
  };
}

/** The key in whichever header the dialects have it. */
function credentialIn(headers: IncomingHttpHeaders): string {
  const value = headers.authorization ?? headers['x-api-key'] ?? headers['x-goog-api-key'] ?? '';
  return (typeof value === 'string' ? value : (value[0] ?? '')).replace(/^Bearer\s+/i, '');
}

/** How many input tokens a request has, as its provider tells it. @throws Refusal */
function countedBy(dialect: Dialect, addressed: Addressed, body: Buffer): string | null {
  const counting = dialect.counting;
  if (!counting?.isAsked(addressed)) return null;
  const { inputTokens } = dialect.read(...counting.generation(readRecord(body), addressed));
  return JSON.stringify(counting.answer(inputTokens));
}
