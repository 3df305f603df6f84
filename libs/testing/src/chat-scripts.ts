import type { ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { UpstreamScript, UpstreamVisit } from './scripted-upstream';

/** Words of a scripted answer; each travels in a chunk of its own. */
export const chatWords = Array.from({ length: 12 }, (_, index) => ` word${index}`);

/** The usage that a scripted answer tells. */
export const chatUsage = { prompt_tokens: 7, completion_tokens: 24, total_tokens: 31 };

const facts = { id: 'chatcmpl-1', created: 1_700_000_000, model: 'scripted' };

/** One event of a chat completion stream. */
export function chatChunk(delta: object, finishReason: string | null = null): string {
  const choices = [{ index: 0, delta, finish_reason: finishReason }];
  return `data: ${JSON.stringify({ ...facts, object: 'chat.completion.chunk', choices })}\n\n`;
}

/** The events that end a chat completion stream well. */
export function chatEnding(): string {
  const usage = { ...facts, object: 'chat.completion.chunk', choices: [], usage: chatUsage };
  return `${chatChunk({}, 'stop')}data: ${JSON.stringify(usage)}\n\ndata: [DONE]\n\n`;
}

/** A whole chat completion that is no stream. */
export function chatCompletion(content: string = chatWords.join('')): string {
  const choices = [{ index: 0, message: { role: 'assistant', content }, finish_reason: 'stop' }];
  return JSON.stringify({ ...facts, object: 'chat.completion', choices, usage: chatUsage });
}

/** True when the request asked for a stream. */
export function asksForStream({ body }: UpstreamVisit): boolean {
  return /"stream"\s*:\s*true/.test(body.toString());
}

/** Answers well, as a stream or not, as asked. `paceMs` passes before each chunk. */
export function goodChat({ paceMs = 0 }: { paceMs?: number } = {}): UpstreamScript {
  return async (visit) => {
    if (!asksForStream(visit)) return answerJson(visit, 200, chatCompletion());
    beginStream(visit);
    await streamWords(visit, chatWords, paceMs);
    visit.response.end(chatEnding());
  };
}

/** Answers with this status and body. */
export function answerJson(
  { response }: UpstreamVisit,
  status: number,
  body: string,
  headers: Record<string, string> = {},
): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(body);
}

/** Sends the head of a stream at once. */
export function beginStream({ response }: UpstreamVisit): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  response.flushHeaders();
}

/** Sends a chunk for each word, waiting for a slow reader; stops when the connection is gone. */
export async function streamWords({ response }: UpstreamVisit, words: readonly string[], paceMs = 0): Promise<void> {
  for (const content of words) {
    if (paceMs > 0) await sleep(paceMs);
    if (response.destroyed) return;
    if (!response.write(chatChunk({ content }))) await drainedOrClosed(response);
  }
}

function drainedOrClosed(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      response.off('drain', done).off('close', done);
      resolve();
    };
    response.on('drain', done).on('close', done);
  });
}
