import type { CanonicalRequest, ToolDefinition } from '../canonical/generation-request';
import { noArguments, rewordedTold, toldBeside, toToolSchema } from '../canonical/tool-schema';
import type { Block, ContentWriter } from './content-writer';

/**
 * The tools of a request; undefined for none. Bedrock wants every tool of the conversation's calls named,
 * also where none may be called any more, and has no way to forbid calls.
 * https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ToolConfiguration.html
 */
export function toToolConfig(request: CanonicalRequest, writer: ContentWriter): Block | undefined {
  const { tools = [], toolChoice } = request;
  const called = calledNames(request);
  if (toolChoice?.type === 'none' || tools.length === 0) {
    if (called.length === 0) return undefined;
    writer.warn('the tools of earlier calls are named again, as Bedrock wants it: the model may call them once more');
  }
  const definitions = tools.length > 0 ? tools : called.map((name): ToolDefinition => ({ name }));
  const choice = choiceOf(toolChoice);
  return {
    tools: definitions.flatMap((tool) => [
      { toolSpec: toolSpec(tool, writer) },
      ...(tool.cacheControl ? writer.cachePoint(tool.cacheControl, 'tools') : []),
    ]),
    ...(choice ? { toolChoice: choice } : {}),
  };
}

/**
 * A schema must be that of an object, at Claude as its maker takes it, and a description must not be empty.
 * https://github.com/code-yeongyu/senpi/issues/1947
 */
function toolSpec(
  { name, description, parameters = noArguments, strict }: ToolDefinition,
  writer: ContentWriter,
): Block {
  const { schema, told, reworded, isOpen }: ReturnType<typeof toToolSchema> =
    writer.family === 'claude' ? toToolSchema(parameters) : { schema: { type: 'object', ...parameters }, told: null };
  for (const warning of rewordedTold(name, reworded)) writer.warn(warning);
  const described = toldBeside(description, told);
  return {
    name,
    ...(described ? { description: described } : {}),
    inputSchema: { json: schema },
    // https://docs.aws.amazon.com/bedrock/latest/userguide/structured-output.html
    ...(strict && !isOpen ? { strict } : {}),
  };
}

function choiceOf(choice: CanonicalRequest['toolChoice']): Block | undefined {
  switch (choice?.type) {
    case 'required':
      return { any: {} };
    case 'tool':
      return { tool: { name: choice.name } };
    case 'auto':
      return { auto: {} };
    default:
      return undefined;
  }
}

/** Names of the tools that the conversation has called, each once. */
function calledNames({ messages }: CanonicalRequest): string[] {
  const calls = messages.flatMap(({ parts }) => parts.filter((part) => part.type === 'tool-call'));
  return [...new Set(calls.map(({ name }) => name))];
}
