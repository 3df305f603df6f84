import { DocumentReader } from '../canonical/document-reader';
import { newId } from '../canonical/new-id';
import { passedRequest } from '../canonical/passed-request';
import { ReaderAround } from '../canonical/reader-around';
import { shortNamesIn } from '../canonical/short-names';
import { SniffingReader } from '../canonical/sniffing-reader';
import { inWords, warned } from '../media/in-words';
import { mediaForms } from '../media/media-forms';
import { readNoAnswer } from '../openai-chat/read-error';
import type {
  AnswerReader,
  AnswerState,
  AttemptOptions,
  PreparedAttempt,
  Translation,
  UpstreamError,
  UpstreamTarget,
} from '../provider-dialect';
import { sealerOf } from '../provider-dialect';
import { brokenAnswer } from '../upstream-error/broken-answer';
import { isRecord, parseJson, textIn } from '../wire/json-value';
import { parseRequestJson } from '../wire/request-json';
import { compactionItem } from './compacted-item';
import { askedAt, withOwnReasoning } from './own-reasoning';
import { readUsage } from './read-usage';
import { withMarkedSeals } from '../canonical/marked-seals';
import { itemsOf, summaryRequest } from './summary-request';

type Body = Record<string, unknown>;

const nothing = Buffer.alloc(0);

/**
 * A translation for requests to have a conversation compacted: by the provider itself where it does that,
 * else by a summary of the model's.
 */
export function compacting(translation: Translation): Translation {
  const translate = translation.translate?.bind(translation);
  return {
    ...translation,
    prepare: (body, target, options) => prepareCompaction(translation, body, target, options),
    ...(translate && {
      translate: (body, target) => ({
        ...translate(summaryBody(body), summaryTarget(target)),
        repeated: messagesOfUser(body),
      }),
    }),
  };
}

function prepareCompaction(
  translation: Translation,
  body: Uint8Array,
  target: UpstreamTarget,
  options: AttemptOptions,
): PreparedAttempt {
  if (translation.provider === 'openai-responses' && target.provider.quirks.compacts) return passed(body, target);
  const { translated } = options;
  // What a thread translated is not read again.
  const wanted = translated ? body : summaryBody(body);
  const repeated = (): string => translated?.repeated ?? messagesOfUser(body);
  const summarizing = translation.prepare(wanted, summaryTarget(target), options);
  return {
    request: summarizing.request,
    answerReader: () => new CompactedReader(summarizing.answerReader(), repeated, target.provider.name),
  };
}

function summaryBody(body: Uint8Array): Buffer {
  const { stream: _, ...wanted } = summaryRequest(objectIn(body));
  return Buffer.from(JSON.stringify(wanted));
}

function summaryTarget(target: UpstreamTarget): UpstreamTarget {
  return { ...target, stream: false };
}

function objectIn(body: Uint8Array): Body {
  const parsed = parseRequestJson(body);
  return isRecord(parsed) ? parsed : {};
}

/**
 * https://platform.openai.com/docs/api-reference/responses/compact
 * https://docs.x.ai/developers/advanced-api-usage/context-compaction
 */
function passed(asked: Uint8Array, target: UpstreamTarget): PreparedAttempt {
  const { name } = target.provider;
  const { body, warnings } = inWords(asked, mediaForms['openai-responses'], target.model, false);
  const sealer = sealerOf(target);
  const read = (document: Buffer) => {
    const value = parseJson(document.toString('utf8'));
    if (isRecord(value) && Array.isArray(value.output))
      return { bytes: withMarkedSeals(document, 'encrypted_content', sealer), usage: readUsage(value) };
    return { error: readNoAnswer(value, name, 'sent an answer that is no compacted conversation') };
  };
  const request = passedRequest(
    '/responses/compact',
    withOwnReasoning(body, askedAt(target)),
    withoutAnswerFields(target),
    ['model', 'input', 'user', 'safety_identifier', 'prompt_cache_key'],
    // The key of the cache stays that of the conversation's turns.
    (source, members, told) => shortNamesIn(source, members, target, told),
  );
  const answerReader = () => new SniffingReader(name, 'document', () => new DocumentReader(name, read));
  return warned({ request, answerReader }, warnings);
}

/** Fields of an answer that mean nothing where a conversation is compacted, and are refused there. */
const answerFields = ['stream', 'store', 'include', 'max_output_tokens'];

function withoutAnswerFields(target: UpstreamTarget): UpstreamTarget {
  const { provider } = target;
  const dropFields = [...provider.quirks.dropFields, ...answerFields];
  return { ...target, provider: { ...provider, quirks: { ...provider.quirks, dropFields } } };
}

/**
 * Turns the response that holds a summary into the compacted conversation: every message of the user's, then
 * the item that stands for the rest.
 */
class CompactedReader extends ReaderAround {
  private failure: UpstreamError | null = null;
  private readonly parts: Uint8Array[] = [];
  private isTold = false;

  constructor(
    response: AnswerReader,
    private readonly repeated: () => string,
    private readonly providerName: string,
  ) {
    super(response);
  }

  /** Whether it is a summary shows at its end. */
  override get state(): AnswerState {
    if (this.failure) return 'failed';
    return super.state === 'flowing' ? 'waiting' : super.state;
  }

  override get error(): UpstreamError | null {
    return this.failure ?? super.error;
  }

  override push(bytes: Uint8Array): Uint8Array {
    return this.told(super.push(bytes));
  }

  override end(): Uint8Array {
    return this.told(super.end());
  }

  override endInPieces(): readonly Uint8Array[] {
    return [this.end()];
  }

  private told(bytes: Uint8Array): Uint8Array {
    this.parts.push(bytes);
    if (this.isTold || super.state !== 'complete') return nothing;
    this.isTold = true;
    const response = parseJson(Buffer.concat(this.parts).toString('utf8'));
    const summary = summaryIn(response);
    if (isRecord(response) && summary !== '') return Buffer.from(this.compacted(response, summary));
    this.failure = brokenAnswer(this.providerName, 'no_summary', 'gave no whole summary of the conversation');
    return nothing;
  }

  private compacted({ created_at: createdAt, usage }: Body, summary: string): string {
    const told = { id: `resp_${newId()}`, object: 'response.compaction', created_at: createdAt, usage };
    const output = [this.repeated(), JSON.stringify(compactionItem(newId(), summary))].filter((text) => text !== '');
    return `${JSON.stringify(told).slice(0, -1)},"output":[${output.join(',')}]}`;
  }
}

/** The user's messages of a conversation, as a compacted one holds them: JSON, with commas between. */
function messagesOfUser(body: Uint8Array): string {
  const kept = itemsOf(objectIn(body).input).filter(
    ({ type, role }) => (type ?? 'message') === 'message' && role === 'user',
  );
  return JSON.stringify(kept.map(outputMessage)).slice(1, -1);
}

/** Empty where the answer was cut off, or is none. */
function summaryIn(response: unknown): string {
  if (!isRecord(response) || response.status !== 'completed') return '';
  const parts = itemsOf(response.output).flatMap(({ content }) =>
    Array.isArray(content) ? content.filter(isRecord) : [],
  );
  return parts.flatMap((part) => (part.type === 'output_text' ? (textIn(part, 'text') ?? '') : [])).join('\n\n');
}

function outputMessage({ id, content }: Body): object {
  const parts = typeof content === 'string' ? [{ type: 'input_text', text: content }] : content;
  return { id: id ?? `msg_${newId()}`, type: 'message', status: 'completed', role: 'user', content: parts };
}
