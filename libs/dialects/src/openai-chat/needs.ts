import type { Need } from '../surface-dialect';
import { isRecord, recordIn } from '../wire/json-value';

const needOfPart: Readonly<Record<string, Need>> = { image_url: 'images', file: 'files', input_audio: 'audio' };

/** What a request needs its model to be able to do. Looks at types only: it runs for every request. */
export function needsOf(body: Record<string, unknown>, messages: readonly unknown[]): Need[] {
  const needs = new Set<Need>();
  for (const message of messages) {
    const content = isRecord(message) ? message.content : null;
    if (Array.isArray(content)) addPartNeeds(content, needs);
  }
  if (isFilled(body.tools) || isFilled(body.functions)) needs.add('tools');
  if (recordIn(body, 'response_format').type === 'json_schema') needs.add('structured output');
  if (Array.isArray(body.modalities) && body.modalities.includes('audio')) needs.add('audio');
  return [...needs];
}

function addPartNeeds(content: readonly unknown[], needs: Set<Need>): void {
  for (const part of content) {
    const type = isRecord(part) ? part.type : null;
    const need = typeof type === 'string' && Object.hasOwn(needOfPart, type) ? needOfPart[type] : undefined;
    if (need) needs.add(need);
  }
}

function isFilled(value: unknown): boolean {
  return Array.isArray(value) && value.length > 0;
}
