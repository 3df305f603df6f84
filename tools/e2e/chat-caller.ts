import { StreamReader } from '../prove/stream-reader';
import { clientSurfaces } from '../prove/surfaces/client-surface';

/**
 * What one caller saw. complete: a whole answer; failed: told so, by its status or in the stream; silent: the
 * answer just ended, which must never happen.
 * `status` is null when the connection broke; `provider`, `attempts` and `retryAfterS` are null without their
 * header.
 */
export interface SeenAnswer {
  requestId: string;
  state: 'complete' | 'failed' | 'silent';
  status: number | null;
  provider: string | null;
  attempts: number | null;
  retryAfterS: number | null;
  content: string;
  tookMs: number;
}

export interface ChatQuestion {
  model: string;
  stream: boolean;
  prompt?: string;
}

/** Asks for chat completions with one key, and reads the answers as a careful client does. */
export class ChatCaller {
  private count = 0;

  constructor(
    private readonly baseUrl: string,
    private readonly apiKey: string,
    private readonly name: string,
  ) {}

  /** Never throws: trouble is a part of what was seen. */
  async ask({ model, stream, prompt = 'Hello' }: ChatQuestion): Promise<SeenAnswer> {
    this.count += 1;
    const requestId = `${this.name}-${this.count}`;
    const startedAt = performance.now();
    const seen = { requestId, status: null, provider: null, attempts: null, retryAfterS: null, content: '' };
    const answer = await this.read(requestId, { model, stream, messages: [{ role: 'user', content: prompt }] }).catch(
      () => ({ state: 'failed' as const }),
    );
    return { ...seen, ...answer, tookMs: performance.now() - startedAt };
  }

  private async read(requestId: string, body: object): Promise<Omit<SeenAnswer, 'requestId' | 'tookMs'>> {
    const response = await fetch(`${this.baseUrl}/v1/chat/completions`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${this.apiKey}`,
        'content-type': 'application/json',
        'x-request-id': requestId,
      },
      body: JSON.stringify(body),
    });
    const { status, headers } = response;
    const told = {
      status,
      provider: headers.get('x-gateway-provider'),
      attempts: numberIn(headers.get('x-gateway-attempts')),
      retryAfterS: numberIn(headers.get('retry-after')),
    };
    if (headers.get('content-type')?.startsWith('text/event-stream'))
      return { ...told, ...(await readStream(response)) };
    const answer = (await response.json()) as { choices?: { message: { content: string } }[] };
    const content = answer.choices?.[0]?.message.content;
    return { ...told, state: content === undefined ? 'failed' : 'complete', content: content ?? '' };
  }
}

async function readStream({ body }: Response): Promise<Pick<SeenAnswer, 'state' | 'content'>> {
  const reader = new StreamReader(clientSurfaces['openai-chat']);
  for await (const bytes of body ?? []) if (bytes instanceof Uint8Array) reader.read(bytes);
  const { content, done, error } = reader;
  if (error !== null) return { state: done ? 'silent' : 'failed', content };
  return { state: done ? 'complete' : 'silent', content };
}

function numberIn(header: string | null): number | null {
  return header === null ? null : Number(header);
}
