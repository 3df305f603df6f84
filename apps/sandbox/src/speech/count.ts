import { readRecord } from '../request/record';
import type { Addressed, Dialect } from './simulated-dialect';

/** How many input tokens a request has, as its provider tells it. @throws Refusal */
export function countedBy(dialect: Dialect, addressed: Addressed, body: Buffer): string | null {
  const counting = dialect.counting;
  if (!counting?.isAsked(addressed)) return null;
  const { inputTokens } = dialect.read(...counting.generation(readRecord(body), addressed));
  return JSON.stringify(counting.answer(inputTokens));
}
