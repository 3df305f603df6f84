import type { ReasoningPart, ReasoningSeal } from '../canonical/generation-request';
import { readCarried } from '../canonical/carried-seal';
import { isRecord, textIn } from '../wire/json-value';
import { isSealed } from './kept-reasoning';

/**
 * The thoughts that `reasoning_details` of a message tell, OpenRouter's form. `text`: what stands beside them
 * as the text of all thoughts; undefined: nothing does.
 * https://openrouter.ai/docs/use-cases/reasoning-tokens
 */
export function fromDetails(details: readonly unknown[], text: string | undefined): ReasoningPart[] {
  return withoutRepeats(inOne(onceTold(details, text ?? ''))).flatMap(fromDetail);
}

/**
 * Details of which nothing is sealed, once, where they tell the text beside them in whole rounds: the last
 * piece of a stream may come before these (see `isEndOf`).
 */
function onceTold(details: readonly unknown[], text: string): readonly unknown[] {
  if (text === '' || details.some(isSealed)) return details;
  const end = endOfRound(details, text);
  if (end !== null) return details.slice(0, end);
  const others = details.slice(1);
  const endOfOthers = text.endsWith(toldIn(details[0])) ? endOfRound(others, text) : null;
  return endOfOthers === null ? details : others.slice(0, endOfOthers);
}

/** How many details tell the text once. Null: together they do not tell it whole, once or several times. */
function endOfRound(details: readonly unknown[], text: string): number | null {
  let end: number | null = null;
  let at = 0;
  for (const [index, detail] of details.entries()) {
    const told = toldIn(detail);
    if (!text.startsWith(told, at)) return null;
    at += told.length;
    if (at < text.length) continue;
    end ??= index + 1;
    at = 0;
  }
  return at === 0 ? end : null;
}

/**
 * Details of which those are one that were told in pieces: a stream tells the text of a thought in pieces of
 * the same `index`, and what seals it behind them.
 */
function inOne(details: readonly unknown[]): unknown[] {
  const whole: unknown[] = [];
  for (const detail of details) {
    const before = whole.at(-1);
    if (isRecord(detail) && isRecord(before) && goesOn(before, detail))
      whole[whole.length - 1] = {
        ...before,
        ...detail,
        text: isEndOf(before, detail)
          ? textIn(detail, 'text')
          : `${textIn(before, 'text') ?? ''}${textIn(detail, 'text') ?? ''}`,
      };
    else whole.push(detail);
  }
  return whole;
}

/**
 * Whether a piece is the end of the sealed thought behind it, once more: OpenRouter's provider for the AI SDK
 * (1.5) puts the last piece of a stream before the whole, which is no longer where it came in one piece.
 * https://github.com/mastra-ai/mastra/issues/19436
 */
function isEndOf(piece: unknown, thought: unknown): boolean {
  return isSealed(thought) && (textIn(thought, 'text') ?? '').endsWith(textIn(piece, 'text') ?? '');
}

/**
 * Details without those that came before with the same seal, and without the end of a sealed thought that
 * comes behind others. The same provider for the AI SDK tells all thoughts with each of several calls, and
 * models refuse a thought that comes twice.
 * https://github.com/OpenRouterTeam/ai-sdk-provider/issues/339
 */
function withoutRepeats(details: readonly unknown[]): unknown[] {
  const seen = new Set<string>();
  const thoughts = new Map(details.filter(isSealed).map((detail) => [placeOf(detail), detail]));
  return details.filter((detail) => {
    const place = placeOf(detail);
    if (!isSealed(detail)) return place === null || !isEndOf(detail, thoughts.get(place));
    const seal = JSON.stringify(['type', 'signature', 'data', 'text'].map((name) => textIn(detail, name)));
    return seen.size < seen.add(seal).size;
  });
}

/** The thought that a detail is of. Null: it does not say. */
function placeOf(detail: unknown): number | null {
  const index = isRecord(detail) && detail.type === 'reasoning.text' ? detail.index : undefined;
  return typeof index === 'number' ? index : null;
}

function goesOn(before: Record<string, unknown>, { type, index }: Record<string, unknown>): boolean {
  const isSame = before.type === type && before.index === index;
  return isSame && type === 'reasoning.text' && typeof index === 'number' && !isSealed(before);
}

function toldIn(detail: unknown): string {
  return textIn(detail, 'text') ?? textIn(detail, 'summary') ?? '';
}

function fromDetail(detail: unknown): ReasoningPart[] {
  if (!isRecord(detail)) return [];
  const id = typeof detail.id === 'string' ? { id: detail.id } : {};
  const sealed = sealIn(detail);
  return [{ type: 'reasoning', text: toldIn(detail), ...id, ...(sealed ?? {}) }];
}

/** Null: none, or an empty one, as clients send it of thoughts that nothing sealed. */
function sealIn(detail: Record<string, unknown>): { seal: ReasoningSeal; id?: string } | null {
  if (!isSealed(detail)) return null;
  const signature = textIn(detail, 'signature') ?? '';
  const kind = signature === '' ? 'redacted' : 'signature';
  const { seal, id } = readCarried(signature || (textIn(detail, 'data') ?? ''), 'openai-chat', kind);
  // What is not carried for another dialect is the provider's own: it goes back whole.
  if (!seal) return null;
  const isOwn = seal.dialect === 'openai-chat';
  return {
    seal: isOwn ? { ...seal, value: JSON.stringify(detail) } : seal,
    ...(id !== undefined && { id }),
  };
}
