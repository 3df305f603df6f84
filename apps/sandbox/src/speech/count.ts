import { isRecord } from '../request/record';
import { Refusal } from '../request/refusal';
import type { Addressed, Voice } from './voice';

/** How many input tokens a request has, as its provider tells it. @throws Refusal */
export function countedBy(voice: Voice, addressed: Addressed, body: Buffer): string | null {
  const counting = voice.counting;
  if (!counting?.isAsked(addressed)) return null;
  let parsed: unknown;
  try {
    parsed = JSON.parse(body.toString('utf8'));
  } catch {
    throw new Refusal('We could not parse the JSON body of your request.');
  }
  if (!isRecord(parsed)) throw new Refusal('The request body must be a JSON object.');
  const { inputTokens } = voice.read(...counting.generation(parsed, addressed));
  return JSON.stringify(counting.answer(inputTokens));
}
