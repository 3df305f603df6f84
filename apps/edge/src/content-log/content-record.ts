import type { GatewayError } from '@tollgate/contracts';
import type { GenerationHead, GenerationRequest } from '@tollgate/contracts/inference';
import type { NewLoggedContent, ContentLogRules } from '@tollgate/contracts/metering';
import { isRecord, type GatheredAnswer, type SurfaceDialect, type ToldCost } from '@tollgate/dialects/surface';
import { Redactor } from '@tollgate/guardrails';
import type { Answer } from '../generation/answer';
import { redactedJson, type RedactedJson } from './redacted-json';

/** A plain answer that is larger is not read. */
const documentBytes = 4_194_304;
/** The events of a stream take up to so many times what they come to. */
const streamFactor = 64;

/** How a logged request ended. `status` is what the caller saw; `endedAt` in epoch milliseconds. */
export interface Ending {
  readonly state: NewLoggedContent['state'];
  readonly status: number;
  readonly cached: boolean;
  readonly endedAt: number;
}

/** One request that is being logged, and its answer. Nothing is kept of its body but the redacted text. */
export class ContentRecord {
  private request: RedactedJson | null = null;
  private answer: LoggedAnswer | null = null;

  /** `redacted`: looks through the request. */
  constructor(
    private readonly policy: Policy,
    private redacted: (() => RedactedJson | null) | null,
  ) {}

  /** An answer that does what `answer` does, and is gathered. */
  gather(answer: Answer, surface: SurfaceDialect, stream: boolean): Answer {
    const { maxBodyBytes } = this.policy.rules;
    const gathered = stream ? surface.gatheredStream(maxBodyBytes * streamFactor) : new GatheredDocument(documentBytes);
    return (this.answer = new LoggedAnswer(answer, gathered));
  }

  /** Looks through the request. */
  readRequest(): void {
    this.request = this.redacted?.() ?? null;
    this.redacted = null;
  }

  /** What is to be kept, once the request is over. Null: the request could not be read. */
  entry(request: GenerationRequest, ending: Ending): NewLoggedContent | null {
    if (!this.request) return null;
    const content = this.answer?.content() ?? null;
    const { redactor, rules } = this.policy;
    const answer = content === null ? null : redactedJson(content, redactor, rules.maxBodyBytes);
    return {
      id: request.eventId,
      requestId: request.requestId,
      keyId: request.keyId,
      accountId: request.accountId,
      model: request.model,
      surface: request.surface,
      stream: request.stream,
      startedAt: request.startedAt,
      ...ending,
      retentionDays: this.policy.rules.retentionDays,
      request: this.request.text,
      answer: answer?.text ?? null,
      requestTruncated: this.request.isTruncated,
      answerTruncated: (this.answer?.isTruncated ?? false) || (answer?.isTruncated ?? false),
      redactions: this.request.redactions + (answer?.redactions ?? 0),
    };
  }
}

/**
 * Hands an answer on to its caller, and gathers what it comes to beside that. What cannot be gathered
 * disturbs nobody.
 */
class LoggedAnswer implements Answer {
  /** What the caller was told instead of the answer, or at the end of a part of it. */
  error: GatewayError | null = null;
  private isReadable = true;

  constructor(
    private readonly answer: Answer,
    private readonly gathered: GatheredAnswer,
  ) {}

  get isTruncated(): boolean {
    return this.gathered.isTruncated || !this.isReadable;
  }

  /** What came, with the error if there was one. Null: nothing came that can be read. */
  content(): unknown {
    const came = this.gathered.answer();
    if (!this.error) return came;
    return isRecord(came) ? { ...came, ...this.error.body } : this.error.body;
  }

  head(head: GenerationHead): void {
    this.answer.head(head);
  }

  data(bytes: Uint8Array): void {
    this.answer.data(bytes);
    if (!this.isReadable) return;
    try {
      this.gathered.push(bytes);
    } catch {
      this.isReadable = false;
    }
  }

  end(cost?: ToldCost): void | Promise<void> {
    return this.answer.end(cost);
  }

  fail(error: GatewayError, headers: Record<string, string>): void {
    this.error = error;
    this.answer.fail(error, headers);
  }

  tick(nowMs: number): void {
    this.answer.tick(nowMs);
  }
}

/** A plain answer, up to a number of bytes: a part of a JSON document cannot be read. */
class GatheredDocument implements GatheredAnswer {
  isTruncated = false;
  private pieces: Uint8Array[] = [];
  private bytes = 0;

  constructor(private readonly maxBytes: number) {}

  push(bytes: Uint8Array): void {
    this.bytes += bytes.length;
    this.isTruncated ||= this.bytes > this.maxBytes;
    if (this.isTruncated) this.pieces = [];
    // A copy: the bytes lie in a larger message, which would be kept with them.
    else this.pieces.push(Uint8Array.from(bytes));
  }

  answer(): unknown {
    try {
      return JSON.parse(Buffer.concat(this.pieces).toString('utf8'));
    } catch {
      return null;
    }
  }
}

/** The operator's rules, ready for use. */
export interface Policy {
  readonly rules: ContentLogRules;
  readonly redactor: Redactor;
}

export function toPolicy(rules: ContentLogRules): Policy {
  return { rules, redactor: new Redactor([...new Set([...rules.detectors, 'api-key' as const])], rules.patterns) };
}
