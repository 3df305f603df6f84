import { isRedacted, sealOf } from '../answer/seal';
import { demandKnown, memberOf, textIn } from '../request/read-values';
import { isRecord } from '../request/record';
import { demand } from '../request/refusal';

type Block = Record<string, unknown>;

/**
 * Which block each role may say.
 * https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ContentBlock.html
 */
const kinds: Readonly<Record<string, readonly string[]>> = {
  system: ['text', 'guardContent', 'cachePoint'],
  user: ['text', 'image', 'document', 'video', 'audio', 'toolResult', 'cachePoint', 'guardContent', 'searchResult'],
  assistant: ['text', 'image', 'toolUse', 'reasoningContent', 'cachePoint', 'citationsContent'],
};

const imageFormats = ['png', 'jpeg', 'gif', 'webp'];
const documentFormats = ['pdf', 'csv', 'doc', 'docx', 'xls', 'xlsx', 'html', 'txt', 'md'];

/** @throws Refusal for a block that this role may not say, or that came back changed. */
export function checkBlock(block: Block, role: string, where: string): void {
  const [kind = '', ...more] = Object.keys(block);
  demand(
    more.length === 0 && kinds[role]?.includes(kind) === true,
    `The content block at ${where} must have exactly one member that a ${role} may send, not ${JSON.stringify(Object.keys(block))}.`,
  );
  switch (kind) {
    case 'text':
      return demand(
        textIn(block.text).trim() !== '',
        `The text field in the ContentBlock object at ${where} is blank. Add text to the text field, and try again.`,
      );
    case 'image':
      return checkMedia(memberOf(block, 'image'), imageFormats, `${where}.image`);
    case 'document':
      return checkDocument(memberOf(block, 'document'), `${where}.document`);
    case 'toolUse':
      return checkToolUse(memberOf(block, 'toolUse'), `${where}.toolUse`);
    case 'toolResult':
      return checkToolResult(memberOf(block, 'toolResult'), `${where}.toolResult`);
    case 'reasoningContent':
      return checkReasoning(memberOf(block, 'reasoningContent'), where);
    case 'cachePoint':
      return demand(memberOf(block, 'cachePoint').type === 'default', `${where}.cachePoint.type must be default`);
  }
}

function checkMedia({ format, source }: Block, formats: readonly string[], where: string): void {
  demand(formats.includes(textIn(format)), `${where}.format must be one of ${formats.join(', ')}`);
  const { bytes } = isRecord(source) ? source : {};
  const isThere = isRecord(source) && Object.keys(source).length === 1;
  demand(isThere, `${where}.source must have exactly one member`);
  demand(bytes === undefined || /^[A-Za-z0-9+/]+={0,2}$/.test(textIn(bytes)), `${where}.source.bytes is no base64`);
}

/** https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_DocumentBlock.html */
function checkDocument(document: Block, where: string): void {
  demandKnown(
    document,
    ['format', 'name', 'source', 'citations', 'context'],
    (name) => `${where} has no member ${name}`,
  );
  checkMedia(document, documentFormats, where);
  const name = textIn(document.name);
  demand(
    /^[a-zA-Z0-9\s()[\]-]{1,200}$/.test(name) && !/\s\s/.test(name),
    'The file name can only contain alphanumeric characters, whitespace characters, hyphens, parentheses, and square brackets. The name cannot contain more than one consecutive whitespace character.',
  );
}

function checkToolUse({ toolUseId, name, input }: Block, where: string): void {
  demand(
    /^[a-zA-Z0-9_-]{1,64}$/.test(textIn(toolUseId)),
    `Value '${textIn(toolUseId)}' at '${where}.toolUseId' failed to satisfy constraint: Member must satisfy regular expression pattern: [a-zA-Z0-9_-]+`,
  );
  demand(
    /^[a-zA-Z0-9_-]{1,64}$/.test(textIn(name)),
    `Value '${textIn(name)}' at '${where}.name' failed to satisfy constraint: Member must satisfy regular expression pattern: [a-zA-Z0-9_-]+`,
  );
  demand(
    isRecord(input),
    `The format of the value at ${where}.input is invalid. Provide a json object for the field and try again.`,
  );
}

function checkToolResult({ content, status }: Block, where: string): void {
  demand(Array.isArray(content), `${where}.content must not be null`);
  for (const part of content) {
    const [kind = '', ...more] = isRecord(part) ? Object.keys(part) : [];
    demand(
      more.length === 0 && ['text', 'json', 'image', 'document', 'video', 'searchResult'].includes(kind),
      `${where}.content must be blocks of one known member`,
    );
  }
  demand(
    status === undefined || status === 'success' || status === 'error',
    `${where}.status must be success or error`,
  );
}

function checkReasoning(content: Block, where: string): void {
  if (content.redactedContent !== undefined)
    return demand(isRedacted(content.redactedContent), `${where}: Invalid \`data\` in \`redacted_thinking\` block`);
  const { text, signature } = memberOf(content, 'reasoningText');
  return demand(signature === sealOf(textIn(text)), `${where}: Invalid \`signature\` in \`thinking\` block`);
}
