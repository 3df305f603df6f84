import type { GenerationHead } from '@tollgate/contracts';
import type { GenerationCall } from '@tollgate/messaging';
import type { Route } from '../routing/route-table';
import type { UpstreamHeaders } from '../upstream/upstream-exchange';

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
