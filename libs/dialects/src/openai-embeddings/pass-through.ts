import { noUsage, type TokenUsage } from '@tollgate/contracts';
import { DocumentReader, type ReadDocument } from '../canonical/document-reader';
import { passedRequest } from '../canonical/passed-request';
import { SniffingReader } from '../canonical/sniffing-reader';
import { readError, readNoAnswer } from '../openai-chat/read-error';
import type { PreparedAttempt, Translation, UpstreamTarget } from '../provider-dialect';
import { JsonCursor, JsonDepthError, JsonSyntaxError } from '../wire/json-cursor';
import { isRecord, parseJson } from '../wire/json-value';
import { parseRequestJson, withoutBom } from '../wire/request-json';
import { type MemberRange, membersOf, spliceObject } from '../wire/splice-object';
import { countInputTokens } from './count-input-tokens';
import { decodedWarning, textsOf } from './embedding-input';
import type { EmbeddingInput } from './embedding-input';
import { fromRequest, type VectorFormat } from './from-request';
import { readVector, toFormat } from './vectors';

const quote = 0x22;
const openBracket = 0x5b;
const openBrace = 0x7b;

/**
 * Fields that the gateway reads: of duplicates only the last one is sent, which is the one that was
 * validated.
 */
const ownedFields = ['model', 'input', 'encoding_format', 'dimensions', 'user'];

/**
 * Embeddings of providers that speak chat completions, which have OpenAI's embeddings beside them: bytes
 * pass, and only the model's name is touched, and that of the size where the provider has another.
 */
export const openaiEmbeddingsToOpenaiChat: Translation = {
  surface: 'openai-embeddings',
  provider: 'openai-chat',
  prepare,
  readError,
  countInputTokens: (body) => countInputTokens(parseRequestJson(body)),
};

function prepare(source: Uint8Array, target: UpstreamTarget): PreparedAttempt {
  const { format, input } = fromRequest(parseRequestJson(source));
  const { name } = target.provider;
  const isDecoded = input.kind === 'tokens' && !takesTokens(target);
  const request = passedRequest('/embeddings', asTaken(source, target, isDecoded ? input : null), target, ownedFields);
  return {
    request: isDecoded ? { ...request, warnings: [decodedWarning, ...request.warnings] } : request,
    answerReader: () =>
      new SniffingReader(
        name,
        'document',
        () => new DocumentReader(name, (document) => readPassingAnswer(document, format, name)),
      ),
  };
}

/** OpenAI's own models do, wherever they are; a server of the operator's may, and its callers know which. */
function takesTokens({ provider, upstreamModel }: UpstreamTarget): boolean {
  return provider.operatorDefined || upstreamModel.startsWith('text-embedding-');
}

/** `decoded`: the tokens whose words are sent in their place; null: what was asked is sent. */
function asTaken(source: Uint8Array, { provider }: UpstreamTarget, decoded: EmbeddingInput | null): Uint8Array {
  const { dimensionsField } = provider.quirks;
  if (!decoded && dimensionsField === 'dimensions') return source;
  const plain = withoutBom(source);
  return spliceObject(plain, membersOf(plain), {
    single: ownedFields,
    rename: { dimensions: dimensionsField },
    ...(decoded && { set: { input: Buffer.from(JSON.stringify(textsOf(decoded))) } }),
  });
}

/**
 * Reads a whole answer in OpenAI's own form. It passes byte for byte, unless its vectors are not in the form
 * that was asked for: some providers know floats only, and OpenAI's clients ask for base64 by themselves.
 */
function readPassingAnswer(document: Buffer, asked: VectorFormat, providerName: string): ReadDocument {
  const members = membersIn(document);
  const data = members?.findLast(({ name }) => name === 'data');
  if (!members || !data || document[data.valueStart] !== openBracket) return notAnAnswer(document, providerName);
  const usage = usageOf(document, members);
  const given = formOf(document, data);
  if (given === asked || given === null) return { bytes: document, usage };
  const converted = inForm(document, asked);
  return converted ? { bytes: converted, usage } : notAnAnswer(document, providerName);
}

/** Null: not one well-formed object. */
function membersIn(document: Buffer): MemberRange[] | null {
  try {
    return membersOf(document);
  } catch (error) {
    if (error instanceof JsonSyntaxError || error instanceof JsonDepthError) return null;
    throw error;
  }
}

/**
 * Null where there is no count: texts have at least one token, so 0 is none.
 * https://platform.openai.com/docs/api-reference/embeddings/object
 */
function usageOf(document: Buffer, members: readonly MemberRange[]): TokenUsage | null {
  const member = members.findLast(({ name }) => name === 'usage');
  const told = member && parseJson(document.toString('utf8', member.valueStart, member.end));
  if (!isRecord(told)) return null;
  const input = [told.prompt_tokens, told.total_tokens].find((count) => Number.isSafeInteger(count) && count !== 0);
  return typeof input === 'number' && input > 0 ? { ...noUsage, input } : null;
}

/** The form of the first vector; null when there is none. The others have the same. */
function formOf(document: Buffer, data: MemberRange): VectorFormat | null {
  const cursor = new JsonCursor().reset(document, data.valueStart, data.end);
  if (!cursor.enterArray() || cursor.peek() !== openBrace) return null;
  for (let more = cursor.enterObject(); more; more = cursor.nextMember()) {
    if (cursor.keyIs('embedding')) return formOfValue(cursor.peek());
    cursor.skip();
  }
  return null;
}

function formOfValue(firstByte: number): VectorFormat | null {
  if (firstByte === quote) return 'base64';
  return firstByte === openBracket ? 'float' : null;
}

/** The answer with every vector in the form that was asked for; null when one cannot be read. */
function inForm(document: Buffer, asked: VectorFormat): Buffer | null {
  const answer = parseJson(document.toString('utf8'));
  if (!isRecord(answer) || !Array.isArray(answer.data)) return null;
  const data: object[] = [];
  for (const item of answer.data as unknown[]) {
    const vector = isRecord(item) ? readVector(item.embedding) : null;
    if (!isRecord(item) || !vector) return null;
    data.push({ ...item, embedding: toFormat(vector, asked) });
  }
  return Buffer.from(JSON.stringify({ ...answer, data }));
}

function notAnAnswer(document: Buffer, providerName: string): ReadDocument {
  const value = parseJson(document.toString('utf8'));
  return { error: readNoAnswer(value, providerName, 'sent an answer without embeddings') };
}
