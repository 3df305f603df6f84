import { lastPieces } from '@tollgate/dialects';
import type { AnswerReader, UpstreamError } from '@tollgate/dialects';
import { closedByOperator, type AttemptFailure } from '../routing/attempt-plan';
import type { AttemptSpan } from './spans';
import type { UpstreamExchange, UpstreamHeaders, UpstreamListener } from '../upstream/upstream-exchange';
import { errorFromFault, explainFault, isTimeout, type UpstreamFault } from '../upstream/upstream-fault';
import { saidIn } from '../upstream/said-in';
import type { Upstream } from '../upstream/upstream-pools';
import type { TokenEvidence } from '../usage/usage-record';
import { largeBytes } from '@tollgate/messaging';
import { answerHead, type CallerAnswer } from './caller-answer';
import { AnswerMemory } from './answer-memory';
import type { AttemptOrder } from './attempt-order';
import { encodingOf, ErrorBody } from './error-body';
import { asKeysOwnerHearsIt } from './own-key-failure';

/**
 * How an attempt ended. stopped: the call was aborted; outrun: another attempt of the call began to answer;
 * crowded-out: its answer found no memory; internal: our own fault, `cause` is what was thrown.
 */
export type AttemptEnd =
  | { kind: 'completed' }
  | { kind: 'stopped' }
  | { kind: 'outrun' }
  | { kind: 'crowded-out' }
  | ({ kind: 'failed' } & AttemptFailure)
  | { kind: 'internal'; cause: unknown };

/**
 * One try at one deployment. Sends the request, feeds the answer to its reader, and passes bytes on from the
 * moment the answer has begun; until then everything is held back, so that another deployment can still be
 * tried.
 */
export class UpstreamAttempt implements UpstreamListener {
  /** The provider's HTTP status, null while none arrived. */
  status: number | null = null;
  /** From the sending of the request to the head of its answer, milliseconds; null while none arrived. */
  firstByteMs: number | null = null;
  /** For the log: what the system said, or which time limit passed. Null: nothing below HTTP broke. */
  reason: string | null = null;
  /** Its answer has begun to reach the caller. */
  isAnswering = false;
  private sentMs = 0;
  /** The reader of a good answer, null before its head and for an HTTP error. */
  private reader: AnswerReader | null = null;
  private exchange: UpstreamExchange | null = null;
  private resolve: (end: AttemptEnd) => void = () => undefined;
  /** Null while it runs. */
  private ended: AttemptEnd | null = null;
  /** For how many reasons nothing is read now. */
  private pauses = 0;
  /** Made once: each chunk hands it on. */
  private readonly goOn = (): void => this.resume();
  /** Resolves when the caller took what it has; null: it did. */
  private drained: Promise<void> | null = null;
  /** Null: nothing large was held. */
  private memory: AnswerMemory | null = null;
  private held: Uint8Array[] = [];
  private heldBytes = 0;
  /** So many bytes the reader has gathered of a stream. */
  private gatheredBytes = 0;
  private headers: UpstreamHeaders = {};
  /** Null: no HTTP error has come. */
  private errorBody: ErrorBody | null = null;

  /**
   * `onHeard` hears of each head and each byte; `onAnswering` once, before the first byte goes to the caller.
   * `span` null: nothing is traced.
   */
  constructor(
    readonly order: AttemptOrder,
    private readonly answer: CallerAnswer,
    private readonly span: AttemptSpan | null,
    private readonly onHeard: () => void,
    private readonly onAnswering: () => void,
  ) {}

  /** What the count of this attempt's tokens rests on. */
  evidence(): Omit<TokenEvidence, 'completed'> {
    const { stream } = this.order.facts;
    return { requestSent: this.exchange?.requestSent ?? false, status: this.status, reader: this.reader, stream };
  }

  /** The address that is asked. */
  get url(): string {
    const { endpoint, path } = this.order.send;
    return endpoint.origin + endpoint.basePath + path;
  }

  /** Sends the request. Resolves once, when the attempt is over; never rejects. */
  run(upstream: Upstream): Promise<AttemptEnd> {
    // The call may have been stopped since this attempt was announced.
    if (this.ended) return Promise.resolve(this.ended);
    return new Promise((resolve) => {
      this.resolve = resolve;
      this.sentMs = performance.now();
      this.guarded(() => {
        this.exchange = upstream.send(this.order.send, this);
      });
    });
  }

  /** The call is over, or another attempt answers it: closes the connection at once. */
  stop(kind: 'stopped' | 'outrun'): void {
    this.finish({ kind });
    this.exchange?.abort();
  }

  /**
   * An operator closed the deployment. What has not begun to answer goes on elsewhere, where there is another
   * place.
   */
  close(): void {
    const message = `An operator closed ${this.order.route.endpoint.provider.name}'s place for this model`;
    this.fail({ fault: 'retryable', code: closedByOperator, message, retryAfterS: null });
  }

  onHead(status: number, headers: UpstreamHeaders): void {
    this.onHeard();
    this.status = status;
    this.firstByteMs = performance.now() - this.sentMs;
    this.headers = headers;
    const encoding = encodingOf(headers['content-encoding']);
    if (status >= 300) {
      this.errorBody = new ErrorBody(encoding, () => this.guarded(() => this.failByStatus()));
      return;
    }
    this.guarded(() => {
      if (encoding !== 'identity')
        return this.fail(this.unfit('content_encoding', `sent an unasked-for ${encoding} encoding`));
      this.reader = this.order.answerReader();
    });
  }

  onBytes(bytes: Uint8Array): void {
    this.onHeard();
    const { reader } = this;
    // An error is small, and its time is short: it waits for nobody's turn.
    if (!reader) return this.errorBody?.push(bytes);
    this.span?.saw(bytes);
    this.guarded(() => this.take(reader, bytes.length, reader.push(bytes)));
    if (!this.ended && this.order.read(bytes.length, this.goOn)) this.pause();
  }

  onEnd(): void {
    const { reader } = this;
    if (reader) this.guarded(() => this.takeLast(reader));
    else this.guarded(() => this.failByStatus());
  }

  onFault(fault: UpstreamFault): void {
    // An HTTP error whose body broke off is still that HTTP error.
    if (this.status !== null && !this.reader) return this.guarded(() => this.failByStatus());
    const error = this.withReason(errorFromFault(fault, this.order.route.endpoint.provider.name), fault);
    this.finish({ kind: 'failed', error, timedOut: isTimeout(fault), status: this.status });
  }

  /** Judges where the answer stands after the reader took bytes and gave `out`. */
  private take(reader: AnswerReader, received: number, out: Uint8Array): void {
    switch (reader.state) {
      case 'waiting':
        return this.hold(this.growthOf(reader, received), out);
      case 'flowing':
        this.passOn(reader, out);
        return this.hold(out.length > 0 ? -this.heldBytes : received, emptyBytes);
      case 'complete':
        this.passOn(reader, out);
        if (reader.isCut) this.exchange?.abort();
        else this.exchange?.letGo();
        return this.finish({ kind: 'completed' });
      case 'failed':
        return this.failByReader(reader, out);
    }
  }

  private takeLast(reader: AnswerReader): void {
    const out = lastPieces(reader);
    if (reader.state === 'failed') return this.failByReader(reader, Buffer.concat(out));
    for (const bytes of out) this.passOn(reader, bytes);
    this.finish({ kind: 'completed' });
  }

  /** How many bytes more are held: of a stream that is gathered only what is left of its events. */
  private growthOf({ gatheredBytes = 0 }: AnswerReader, received: number): number {
    if (gatheredBytes === this.gatheredBytes) return received;
    this.gatheredBytes = gatheredBytes;
    return gatheredBytes - this.heldBytes;
  }

  /**
   * Keeps what cannot go out yet, within bounds: also what the reader itself keeps of an unfinished event.
   */
  private hold(received: number, out: Uint8Array): void {
    this.heldBytes += received;
    if (out.length > 0) this.held.push(out);
    if (this.heldBytes > this.order.maxHeldBytes)
      return this.fail(this.unfit('answer_too_large', `sent more than ${this.order.maxHeldBytes} bytes at once`));
    if (this.heldBytes === 0) this.memory?.release();
    else if (this.heldBytes > largeBytes) {
      const announced = Number(this.headers['content-length']);
      this.memory ??= this.newMemory();
      this.memory.need(this.heldBytes, announced > 0 ? announced : null, this.order.maxHeldBytes);
    }
  }

  private newMemory(): AnswerMemory {
    return new AnswerMemory(this.order.admit, {
      waiting: () => this.pause(),
      waited: () => this.resume(),
      refused: () => this.crowdedOut(),
    });
  }

  private passOn(reader: AnswerReader, out: Uint8Array): void {
    if (!this.isAnswering) this.onAnswering();
    this.isAnswering = true;
    if (!this.answer.begun) this.answer.begin(answerHead(this.order.facts, this.headers));
    const { held } = this;
    if (held.length > 0) this.held = [];
    for (const bytes of held) this.write(bytes, reader);
    this.write(out, reader);
  }

  private write(bytes: Uint8Array, { hasContent }: AnswerReader): void {
    if (!this.answer.write(bytes, hasContent)) this.waitForCaller();
  }

  /** Stops reading until the caller took what it has. */
  private waitForCaller(): void {
    if (this.drained) return;
    this.pause();
    this.drained = this.answer.drained().then(
      () => {
        this.drained = null;
        this.resume();
      },
      // Rejected when the call is stopped, which ends this attempt by `stop`.
      () => undefined,
    );
  }

  /** Nothing is read until there were as many calls of `resume`. */
  private pause(): void {
    this.pauses += 1;
    if (this.pauses === 1) this.exchange?.pause();
  }

  private resume(): void {
    this.pauses -= 1;
    if (this.pauses === 0) this.exchange?.resume();
  }

  private failByReader(reader: AnswerReader, out: Uint8Array): void {
    if (this.isAnswering) this.passOn(reader, out);
    this.fail(reader.error ?? this.unfit('bad_answer', 'sent an answer that cannot be read'));
  }

  /**
   * The log has what was asked and what the system said, and who runs this gateway hears both. Callers of a
   * server of the operator's own hear what the system said, as they are its operator's people, and no
   * address, which may be in a network that is none of theirs.
   */
  private withReason(error: UpstreamError, fault: UpstreamFault): UpstreamError {
    const { ofOperator, send, route } = this.order;
    const why = explainFault(fault, this.url, send.timeouts, send.totalMs, this.status !== null);
    this.reason = `POST ${this.url}: ${why}`;
    if (ofOperator) return { ...error, message: `${error.message} (${this.reason})` };
    return route.endpoint.provider.operatorDefined ? { ...error, message: `${error.message} (${why})` } : error;
  }

  private failByStatus(): void {
    const { translation, endpoint, model } = this.order.route;
    const body = this.errorBody?.bytes() ?? emptyBytes;
    const error = translation.readError(this.status ?? 0, this.headers, body, endpoint.provider.name, Date.now());
    // Whoever names a model that nobody lists is told that there is none; it says nothing of the provider's
    // health.
    if (model.unlisted && this.status === 404) return this.fail({ ...error, fault: 'caller', status: 404 });
    // A wrong name or address is the operator's to mend, and the server's words say how: vLLM lists the valid
    // names.
    const { ofOperator } = this.order;
    if (endpoint.isOwnKey) {
      const words = saidIn(Buffer.from(body).toString(), endpoint);
      return this.fail(asKeysOwnerHearsIt(error, this.status ?? 0, endpoint.provider.name, words));
    }
    const isTold = (endpoint.provider.operatorDefined || ofOperator) && error.fault === 'ours';
    const said = isTold ? saidIn(Buffer.from(body).toString(), endpoint) : '';
    const asked = ofOperator && error.fault !== 'caller' ? ` (POST ${this.url})` : '';
    this.fail({ ...error, message: error.message + asked + said });
  }

  private fail(error: UpstreamError): void {
    const { apiKey } = this.order.route.endpoint;
    this.finish({ kind: 'failed', error: withoutKey(error, apiKey), timedOut: false, status: this.status });
    this.exchange?.abort();
  }

  private crowdedOut(): void {
    this.finish({ kind: 'crowded-out' });
    this.exchange?.abort();
  }

  private unfit(code: string, whatItDid: string): UpstreamError {
    const message = `${this.order.route.endpoint.provider.name} ${whatItDid} (status ${this.status ?? 'none'})`;
    return { fault: 'retryable', code, message, retryAfterS: null };
  }

  private finish(end: AttemptEnd): void {
    if (this.ended) return;
    this.ended = end;
    this.errorBody?.stop();
    this.held = [];
    const { memory } = this;
    // What the caller did not take yet is held on the way to it.
    memory?.shrink(this.heldBytes);
    if (memory && this.drained) void this.drained.then(() => memory.release());
    else memory?.release();
    this.resolve(end);
  }

  /**
   * What throws here is a fault of ours; it ends the attempt and must not reach undici, which would take it
   * for the provider's.
   */
  private guarded(step: () => void): void {
    if (this.ended) return;
    try {
      step();
    } catch (cause) {
      this.finish({ kind: 'internal', cause });
      this.exchange?.abort();
    }
  }
}

/** Some providers repeat the key that they refuse; the text of an error goes to callers and logs. */
function withoutKey(error: UpstreamError, apiKey: string | null): UpstreamError {
  if (apiKey === null) return error;
  const clean = (text: string): string => text.replaceAll(apiKey, '[redacted]');
  const { code, message, detail } = error;
  return { ...error, code: clean(code), message: clean(message), ...(detail && { detail: clean(detail) }) };
}

const emptyBytes = new Uint8Array(0);
