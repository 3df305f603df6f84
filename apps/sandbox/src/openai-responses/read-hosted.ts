import type { HostedTool } from '../request/neutral-request';
import { textIn } from '../request/read-values';
import { isRecord } from '../request/record';
import { demand } from '../request/refusal';

/**
 * The model that makes images, and what it reads and makes for one.
 * https://developers.openai.com/api/docs/guides/image-generation
 */
export const imageModel = 'gpt-image-2';
export const imageTokens = { text: 13, image: 272 };

const memories = ['1g', '4g', '16g', '64g'];

/**
 * The tools of OpenAI's own that a request offers, each of which is used once.
 * https://developers.openai.com/api/docs/guides/tools-web-search
 * https://developers.openai.com/api/docs/guides/tools-file-search
 * https://developers.openai.com/api/docs/guides/tools-code-interpreter @throws Refusal
 */
export function readHosted(tools: readonly Record<string, unknown>[], isXai: boolean): HostedTool[] {
  const hosted = tools.flatMap((tool, index): HostedTool[] => {
    const type = textIn(tool.type);
    if (type.startsWith('web_search')) return ['webSearch'];
    // https://docs.x.ai/developers/tools/overview
    if (isXai && type === 'x_search') return ['xSearch'];
    if (isXai && (type === 'code_interpreter' || type === 'code_execution')) return ['codeExecution'];
    if (type === 'image_generation') return ['imageGeneration'];
    if (type === 'file_search') {
      demandStores(tool, `tools[${index}].vector_store_ids`);
      return ['fileSearch'];
    }
    if (type !== 'code_interpreter') return [];
    demandContainer(tool, `tools[${index}].container`);
    return ['codeSession'];
  });
  return [...new Set(hosted)];
}

function demandStores({ vector_store_ids: stores }: Record<string, unknown>, param: string): void {
  demand(Array.isArray(stores) && stores.length > 0, `Missing required parameter: '${param}'.`, {
    param,
    code: 'missing_required_parameter',
  });
}

/** A container is named by its id, or made: then one of a gigabyte, for no other price is in the books. */
function demandContainer({ container }: Record<string, unknown>, param: string): void {
  const isNamed = typeof container === 'string' && container !== '';
  demand(isNamed || (isRecord(container) && container.type === 'auto'), `Missing required parameter: '${param}'.`, {
    param,
    code: 'missing_required_parameter',
  });
  const memory = isRecord(container) ? (container.memory_limit ?? '1g') : '1g';
  demand(memories.includes(textIn(memory)), `Invalid value: '${textIn(memory)}'.`, {
    param: `${param}.memory_limit`,
    code: 'invalid_value',
  });
  demand(memory === '1g', `sandbox: ${param}.memory_limit is 1g here`, { param: `${param}.memory_limit` });
}

/** What a search on X fetches here. */
const postsFetched = 2;

/** What the tools are charged by beside their calls. */
export function feesOf(hosted: readonly HostedTool[]): Record<string, number> {
  const { text, image } = imageTokens;
  return {
    ...(hosted.includes('xSearch') && { xPost: postsFetched }),
    ...(hosted.includes('imageGeneration') && {
      [`${imageModel} text input`]: text,
      [`${imageModel} image output`]: image,
    }),
  };
}
