import type { AnswerChoice, AnswerStep } from './answer';

/** What every chunk and completion of one answer carries. */
export interface AnswerHead {
  id: string;
  created: number;
  model: string;
}

interface AnswerUsage {
  inputTokens: number;
  outputTokens: number;
}

const fingerprint = 'fp_sandbox';

/** A whole completion. `tail` is what renderCompletionTail made. */
export function renderCompletion({ id, created }: AnswerHead, tail: string): string {
  return `{"id":"${id}","object":"chat.completion","created":${created},${tail}`;
}

/** The part of a completion that is the same whenever the request is: everything behind its id and time. `usage` null: it is left out. */
export function renderCompletionTail(
  model: string,
  choices: readonly AnswerChoice[],
  usage: AnswerUsage | null,
): string {
  const tail = JSON.stringify({
    model,
    choices: choices.map(({ message, finishReason }, index) => ({
      index,
      message,
      logprobs: null,
      finish_reason: finishReason,
    })),
    ...(usage && { usage: renderUsage(usage) }),
    service_tier: 'default',
    system_fingerprint: fingerprint,
  });
  return tail.slice(1);
}

/** Writes the events of one stream. As OpenAI does, each has `"usage":null` when usage was asked for. */
export class ChunkRenderer {
  private readonly before: string;
  private readonly after: string;

  constructor(
    private readonly head: AnswerHead,
    includeUsage: boolean,
  ) {
    const { id, created, model } = head;
    const members = JSON.stringify({
      id,
      object: 'chat.completion.chunk',
      created,
      model,
      service_tier: 'default',
      system_fingerprint: fingerprint,
    });
    this.before = `data: ${members.slice(0, -1)},"choices":[`;
    this.after = includeUsage ? '],"usage":null}\n\n' : ']}\n\n';
  }

  role(choice: number): string {
    return this.chunk(choice, '{"role":"assistant","content":"","refusal":null}', 'null');
  }

  step(choice: number, step: AnswerStep): string {
    return this.chunk(choice, JSON.stringify(step.delta), 'null');
  }

  finish(choice: number, reason: string): string {
    return this.chunk(choice, '{}', `"${reason}"`);
  }

  usage(usage: AnswerUsage): string {
    return `${this.before}],"usage":${JSON.stringify(renderUsage(usage))}}\n\n`;
  }

  /** An event that breaks off in the middle of its JSON. */
  malformed(): string {
    return `data: {"id":"${this.head.id}","object":"chat.completion.chunk","choices":[{"index":0,"del\n\n`;
  }

  private chunk(choice: number, delta: string, finishReason: string): string {
    return `${this.before}{"index":${choice},"delta":${delta},"logprobs":null,"finish_reason":${finishReason}}${this.after}`;
  }
}

export const done = 'data: [DONE]\n\n';

/** An error object. `code` and `param` null as OpenAI writes them. */
export function renderError(
  message: string,
  type: string,
  param: string | null = null,
  code: string | null = null,
): string {
  return JSON.stringify({ error: { message, type, param, code } });
}

function renderUsage({ inputTokens, outputTokens }: AnswerUsage): object {
  return {
    prompt_tokens: inputTokens,
    completion_tokens: outputTokens,
    total_tokens: inputTokens + outputTokens,
    prompt_tokens_details: { cached_tokens: 0, audio_tokens: 0 },
    completion_tokens_details: {
      reasoning_tokens: 0,
      audio_tokens: 0,
      accepted_prediction_tokens: 0,
      rejected_prediction_tokens: 0,
    },
  };
}
