import type { GenerationRequest, NewLoggedContent } from '@tollgate/contracts';
import type { SurfaceDialect } from '@tollgate/dialects/surface';
import type { Answer } from '../generation/answer';
import { GatheredDocument } from './gathered-document';
import { LoggedAnswer } from './logged-answer';
import type { Policy } from './policy';
import { redactedJson } from './redacted-json';
import type { RedactedJson } from './redacted-json';

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
