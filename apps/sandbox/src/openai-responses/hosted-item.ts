import type { HostedTool } from '../request/neutral-request';

type Item = Record<string, unknown>;
type WriteEvent = (type: string, members: Item) => string;

const code = 'print(6 * 7)';
/** A PNG of one pixel. */
const picture = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNk+A8AAQUBAScY42YAAAAASUVORK5CYII=';

/**
 * What a tool of OpenAI's own did, which comes before the text that rests on it. `id` is its own part of the
 * item's id. https://platform.openai.com/docs/api-reference/responses/object
 */
export function hostedItem(tool: HostedTool, id: string): Item {
  const status = 'completed';
  switch (tool) {
    case 'xSearch':
      return { id: `xs_${id}`, type: 'x_search_call', status, action: { type: 'search', query: 'example' } };
    case 'imageGeneration':
      return { id: `ig_${id}`, type: 'image_generation_call', status, result: picture, revised_prompt: 'A dot.' };
    case 'codeExecution':
      return { id: `ci_${id}`, type: 'code_interpreter_call', status, code, outputs: null };
    case 'webFetch':
    case 'webSearch':
      return { id: `ws_${id}`, type: 'web_search_call', status, action: { type: 'search', query: 'example' } };
    case 'fileSearch':
      return { id: `fs_${id}`, type: 'file_search_call', status, queries: ['example'], results: null };
    case 'codeSession':
      return {
        ...{ id: `ci_${id}`, type: 'code_interpreter_call', status, container_id: `cntr_${id}` },
        ...{ code, outputs: null },
      };
  }
}

/** The same item before anything of it is known. */
export function begunHostedItem(item: Item): Item {
  const { action: _action, ...rest } = item;
  return {
    ...rest,
    status: 'in_progress',
    ...('queries' in item && { queries: [] }),
    ...('code' in item && { code: '' }),
    ...('result' in item && { result: null }),
  };
}

/**
 * The events between the beginning and the end of such an item.
 * https://platform.openai.com/docs/api-reference/responses-streaming
 */
export function hostedEvents(item: Item, place: Item, event: WriteEvent): string[] {
  const at = (state: string): string => event(`response.${String(item.type)}.${state}`, place);
  // OpenAI's clients know no events of xAI's searches.
  if (item.type === 'x_search_call') return [];
  if (item.type === 'image_generation_call') return [at('in_progress'), at('generating'), at('completed')];
  if (item.type !== 'code_interpreter_call') return [at('in_progress'), at('searching'), at('completed')];
  return [
    at('in_progress'),
    event('response.code_interpreter_call_code.delta', { ...place, delta: code }),
    event('response.code_interpreter_call_code.done', { ...place, code }),
    at('interpreting'),
    at('completed'),
  ];
}
