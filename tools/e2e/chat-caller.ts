import { hopFailures } from '@tollgate/messaging';
import { setTimeout as delay } from 'node:timers/promises';
import { StreamReader } from '../prove/stream-reader';
import { clientSurfaces } from '../prove/client-surface';

/**
 * What one caller saw. complete: a whole answer; failed: told so, by its status or in the stream; silent: the
 * answer just ended, which must never happen.
 * `status` is null when the connection broke; `provider`, `attempts` and `retryAfterS` are null without their
 * header. `error` is what the caller was told of a failure, null where nothing was.
 */
export interface SeenAnswer {
  requestId: string;
  state: 'complete' | 'failed' | 'silent';
  status: number | null;
  provider: string | null;
  attempts: number | null;
  retryAfterS: number | null;
  content: string;
  error: string | null;
  tookMs: number;
}

export interface ChatQuestion {
  model: string;
  stream: boolean;
  prompt?: string;
}

/** What the gateway says of itself, and clients ask again after; it tells nothing of a provider. */
const ofTheGateway: readonly (string | null)[] = [
  hopFailures.overloaded,
  hopFailures.instanceLost,
  hopFailures.gap,
  hopFailures.disconnected,
].map(({ message }) => message);
const mostTries = 10;

/** Asks for chat completions with one key, and reads the answers as a careful client does. */
export class ChatCaller {
  private count = 0;

  constructor(
    private readonly baseUrl: string,
    private readonly apiKey: string,
    private readonly name: string,
    /** Whether it asks again, as clients do, where a part of the gateway stood still or was away. */
    private readonly isPatient = false,
  ) {}

  /** Never throws: trouble is a part of what was seen. */
  async ask(question: ChatQuestion): Promise<SeenAnswer> {
    for (let tries = 1; ; tries++) {
      const answer = await this.askOnce(question);
      if (!this.isPatient || tries === mostTries || !ofTheGateway.includes(answer.error)) return answer;
      await delay((answer.retryAfterS ?? 0) * 1_000);
    }
  }

  private async askOnce({ model, stream, prompt = 'Hello' }: ChatQuestion): Promise<SeenAnswer> {
    this.count += 1;
    const requestId = `${this.name}-${this.count}`;
    const startedAt = performance.now();
    const seen = {
      requestId,
      status: null,
      provider: null,
      attempts: null,
      retryAfterS: null,
      content: '',
      error: null,
    };
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
    const { choices, error } = (await response.json()) as {
      choices?: { message: { content: string } }[];
      error?: { message: string };
    };
    const content = choices?.[0]?.message.content;
    const state = content === undefined ? 'failed' : 'complete';
    return { ...told, state, content: content ?? '', error: error?.message ?? null };
  }
}

async function readStream({ body }: Response): Promise<Pick<SeenAnswer, 'state' | 'content' | 'error'>> {
  const reader = new StreamReader(clientSurfaces['openai-chat']);
  for await (const bytes of body ?? []) if (bytes instanceof Uint8Array) reader.read(bytes);
  const { content, done, error } = reader;
  if (error !== null) return { state: done ? 'silent' : 'failed', content, error };
  return { state: done ? 'complete' : 'silent', content, error };
}

function numberIn(header: string | null): number | null {
  return header === null ? null : Number(header);
}
