import { readRecord } from '../request/record';
import type { Addressed, Voice } from './voice';

/** How many input tokens a request has, as its provider tells it. @throws Refusal */
export function countedBy(voice: Voice, addressed: Addressed, body: Buffer): string | null {
  const counting = voice.counting;
  if (!counting?.isAsked(addressed)) return null;
  const { inputTokens } = voice.read(...counting.generation(readRecord(body), addressed));
  return JSON.stringify(counting.answer(inputTokens));
}
