import { askedTurn, chatTurnKind } from '../media/asked-turn';
import { MediaTally } from '../media/media-tally';
import type { Need, SurfaceRequest } from '../surface-dialect';
import { isRecord, recordIn } from '../wire/json-value';
import { readMediaPart } from './media-part';

/** What the images, files and recordings of messages come to. It runs for every request. */
export function mediaTallyOf(messages: readonly unknown[]): MediaTally {
  const tally = new MediaTally();
  const asked = askedTurn(messages.length, (index) => chatTurnKind(recordIn({ turn: messages[index] }, 'turn').role));
  for (const [index, message] of messages.entries()) {
    const content = isRecord(message) ? message.content : null;
    if (Array.isArray(content)) addMedia(content, tally, index === asked);
  }
  return tally;
}

/** What a request needs its model to be able to do. */
export function needsOf(body: Record<string, unknown>, tally: MediaTally): Pick<SurfaceRequest, 'needs' | 'media'> {
  const needs = new Set<Need>(tally.needs);
  if (isFilled(body.tools) || isFilled(body.functions)) needs.add('tools');
  if (recordIn(body, 'response_format').type === 'json_schema') needs.add('structured output');
  if (Array.isArray(body.modalities) && body.modalities.includes('audio')) needs.add('audio');
  return { needs: [...needs], ...tally.media };
}

function addMedia(content: readonly unknown[], tally: MediaTally, isAsked: boolean): void {
  for (const part of content) {
    const media = readMediaPart(part);
    if (media) tally.add(media, isAsked);
  }
}

function isFilled(value: unknown): boolean {
  return Array.isArray(value) && value.length > 0;
}
