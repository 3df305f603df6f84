import type { GenerationHead } from '@tollgate/contracts/inference';
import { type GenerationCall, AccountPace, ReadTurns, type Owner } from '@tollgate/messaging';
import type { Route } from '../routing/route-table';
import type { UpstreamHeaders } from '../upstream/upstream-exchange';
import type { AttemptOrder } from './attempt-order';

/** The caller's side of an answer: the head once, then bytes. */
export class CallerAnswer {
  /** The HTTP status that was sent, null while none was. From then on nothing else can be tried. */
  status: number | null = null;
  /** Epoch milliseconds at which the first content went out, null while none did. */
  firstTokenAt: number | null = null;

  constructor(private readonly call: GenerationCall) {}

  get begun(): boolean {
    return this.status !== null;
  }

  begin(head: GenerationHead): void {
    if (this.begun) return;
    this.status = head.status;
    this.call.head(head);
  }

  /** False: the caller's window is used up; wait for `drained`. */
  write(bytes: Uint8Array, hasContent: boolean): boolean {
    if (hasContent) this.firstTokenAt ??= Date.now();
    return bytes.length === 0 || this.call.write(bytes);
  }

  /** Resolves when there is room again; rejects when the call is stopped. */
  drained(): Promise<void> {
    return this.call.drained();
  }
}

/** The only headers of a provider that a caller sees: harmless facts that official SDKs expose. */
const passedHeaders = ['openai-processing-ms', 'openai-version'];

/** What a head tells beside the provider's own headers. `attempts` counts those that were begun by now. */
export interface AnswerFacts {
  route: Route;
  stream: boolean;
  attempts: () => number;
  warnings: readonly string[];
}

/** The head of a good answer, ready for the caller. */
export function answerHead(facts: AnswerFacts, upstreamHeaders: UpstreamHeaders): GenerationHead {
  const headers: Record<string, string> = facts.stream
    ? {
        'content-type': 'text/event-stream; charset=utf-8',
        'cache-control': 'no-cache',
        // Asks proxies of the nginx family not to gather the stream:
        // https://nginx.org/en/docs/http/ngx_http_proxy_module.html#proxy_buffering
        'x-accel-buffering': 'no',
      }
    : { 'content-type': 'application/json' };
  headers['x-gateway-provider'] = facts.route.endpoint.provider.id;
  headers['x-gateway-model'] = facts.route.model.id;
  headers['x-gateway-attempts'] = String(facts.attempts());
  if (facts.warnings.length > 0) headers['x-gateway-warnings'] = warningsText(facts.warnings);
  if (facts.route.endpoint.simulated) headers['x-gateway-sandbox'] = 'true';
  for (const name of passedHeaders) {
    const value = upstreamHeaders[name];
    if (value !== undefined) headers[name] = headerText(value);
  }
  return { status: 200, headers };
}

/**
 * So many characters of warnings: proxies of the nginx family refuse an answer whose headers have more than
 * 4 KiB in all. https://nginx.org/en/docs/http/ngx_http_proxy_module.html#proxy_buffer_size
 */
const mostWarningText = 2048;

/** Those that fit, each once, and how many do not: a request may have hundreds of tools. */
function warningsText(warnings: readonly string[]): string {
  const distinct = [...new Set(warnings)].map(headerText);
  let text = (distinct[0] ?? '').slice(0, mostWarningText);
  for (const [index, warning] of distinct.entries()) {
    if (index === 0) continue;
    if (text.length + warning.length > mostWarningText) return `${text}; and ${distinct.length - index} more`;
    text = `${text}; ${warning}`;
  }
  return text;
}

/** Header values hold printable ASCII only. */
function headerText(text: string): string {
  return text.replace(/[^\x20-\x7e]/g, '?');
}

/**
 * So much of the answers for one account is read a second beside others, after as much at twice that: each
 * megabyte takes some milliseconds of CPU until its caller has it, in all processes, and more where it is
 * kept.
 */
const paceBounds = { bytesPerS: 33_554_432, burstBytes: 33_554_432, peakBytesPerS: 67_108_864 };

/** Whose answers are read when: by their accounts' shares of a turn of the event loop, and by their pace. */
export class AnswerTurns {
  constructor(
    private readonly pace = new AccountPace(paceBounds),
    private readonly turns = new ReadTurns(),
  ) {}

  /** Resolves when work for a key that costs as much as reading so many bytes may be done. */
  turn(owner: Owner, bytes: number): Promise<void> {
    return this.turns.turn(owner, bytes);
  }

  /** How one answer is read. */
  reader(owner: Owner): AttemptOrder['read'] {
    let broughtBytes = 0;
    return (bytes, resume) => {
      broughtBytes += bytes;
      const waitMs = this.pace.pieceMs(owner.accountId, bytes, broughtBytes);
      if (waitMs === 0) return this.turns.read(owner, bytes, resume);
      setTimeout(() => void this.turns.turn(owner, bytes).then(resume), waitMs).unref();
      return true;
    };
  }
}
