import { parseJson } from '../wire/json-value';

/** One event of a written stream. `json` is '[DONE]' where the data are. */
export interface WrittenEvent {
  name: string;
  data: string;
  json: unknown;
}

/**
 * The events of an SSE text as our writers write it: read apart from the splitter, which is proved elsewhere.
 * Anything else than `event:` and `data:` lines is an error.
 */
export function eventsIn(sse: string): WrittenEvent[] {
  if (sse === '') return [];
  if (!sse.endsWith('\n\n')) throw new Error(`The stream ends within an event: ${sse.slice(-80)}`);
  return sse
    .slice(0, -2)
    .split('\n\n')
    .map((block) => {
      const [first = '', second, ...more] = block.split('\n');
      const name = first.startsWith('event: ') ? first.slice('event: '.length) : '';
      const line = name === '' ? first : second;
      if (line?.startsWith('data: ') !== true || more.length > 0 || (name === '' && second !== undefined))
        throw new Error(`Not an event: ${block}`);
      const data = line.slice('data: '.length);
      return { name, data, json: data === '[DONE]' ? data : parseJson(data) };
    });
}
