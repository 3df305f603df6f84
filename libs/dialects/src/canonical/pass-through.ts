import type { DialectName } from '@tollgate/contracts';
import type { AnswerReader, AttemptOptions, Translation, UpstreamRequest, UpstreamTarget } from '../provider-dialect';
import { isRecord } from '../wire/json-value';
import { parseRequestJson, withoutBom } from '../wire/request-json';
import { inJson, membersOf, splicedPieces } from '../wire/splice-object';
import type { MemberRange, ObjectEdits } from '../wire/splice-object';
import { AnswerEvents } from './answer-events';
import type { ProviderCodec, SurfaceCodec } from './codec';
import type { CanonicalRequest } from './generation-request';
import { loweredLimits } from './lowered-limits';
import { newId } from './new-id';
import { PassingDocumentReader, PassingStreamReader } from './passing-answer-reader';
import type { StreamEnding } from './passing-answer-reader';
import { SniffingReader } from './sniffing-reader';
import { translatedReader } from './translate';

/** The two codecs of one dialect, and what passing its bytes takes beyond them. */
export interface PassThrough {
  surface: SurfaceCodec;
  provider: ProviderCodec;
  /**
   * `path` is appended to the base URL; `members` replace those of the caller's body, or the model alone is
   * taken out where they hold none.
   */
  address: (target: UpstreamTarget) => {
    path: string;
    headers: Record<string, string>;
    members: Record<string, string>;
  };
  /**
   * Fields that the gateway reads: of duplicates only the last one is sent, which is the one that was
   * validated.
   */
  ownedFields: readonly string[];
  /** Fields that this model refuses, beside those of its provider's data. Absent: none. */
  refuses?: (source: Uint8Array, members: readonly MemberRange[], target: UpstreamTarget) => readonly string[];
  /** The field that limits the output. */
  limitField: string;
  /** Input tokens of a caller's parsed body by tokenizer. */
  countInputTokens: (body: unknown) => number;
  /**
   * What else of a caller's body changes on its way to the provider, and what the caller is told of it.
   * Absent: nothing.
   */
  edits?: (
    source: Uint8Array,
    members: readonly MemberRange[],
    target: UpstreamTarget,
  ) => ObjectEdits & { warnings?: readonly string[] };
  /**
   * What becomes of a whole event, or of a whole document, of the provider before the caller of `body` gets
   * it. Absent or null: nothing.
   */
  rewriter?: (body: Uint8Array, target: UpstreamTarget) => ((bytes: Buffer) => Buffer) | null;
  newEnding: () => StreamEnding;
}

/**
 * The same dialect on both sides: bytes pass in both directions, and only what the gateway owns (the model's
 * name) is touched.
 */
export function passThrough(dialect: PassThrough): Translation {
  const { surface, provider } = dialect;
  return {
    surface: surface.name,
    provider: provider.name,
    prepare: (body, target, options) => ({
      request: upstreamRequest(dialect, body, target),
      answerReader: () => passingReader(dialect, body, target, options),
    }),
    readError: (...answer) => provider.readError(...answer),
    countInputTokens: (body) => dialect.countInputTokens(parseRequestJson(body)),
  };
}

/** The caller's own bytes with the provider's model name, without the fields that the provider refuses. */
function upstreamRequest(dialect: PassThrough, body: Uint8Array, target: UpstreamTarget): UpstreamRequest {
  const { quirks, name: providerName } = target.provider;
  const { path, headers, members: own } = dialect.address(target);
  const source = withoutBom(body);
  const members = membersOf(source);
  const refused = [...quirks.dropFields, ...(dialect.refuses?.(source, members, target) ?? [])];
  const dropped = refused.filter((field) => members.some(({ name }) => name === field));
  const countInput = (): number => dialect.countInputTokens(parseRequestJson(body));
  const lowered = loweredLimits(source, members, [dialect.limitField], target, countInput);
  const limits = lowered.map(({ name, most }) => [name, most] as const);
  const more = dialect.edits?.(source, members, target);
  const edits = {
    set: {
      ...Object.fromEntries([...Object.entries(own), ...limits].map(([name, value]) => [name, inJson(value)])),
      ...more?.set,
    },
    single: dialect.ownedFields,
    drop: [...dropped, ...(more?.drop ?? []), ...(own.model === undefined ? ['model'] : [])],
  };
  return {
    path,
    headers,
    body: splicedPieces(source, members, edits),
    warnings: [
      ...dropped.map((field) => `${field} was dropped: ${providerName} does not take it`),
      ...lowered.map(({ warning }) => warning),
      ...(more?.warnings ?? []),
    ],
  };
}

/**
 * An answer in the form that was asked for passes; another form (a provider that ignores `stream`) is
 * translated into it.
 */
function passingReader(
  { surface, provider, rewriter, newEnding }: PassThrough,
  body: Uint8Array,
  target: UpstreamTarget,
  { includeUsage, maxOutputTokens }: AttemptOptions,
): AnswerReader {
  const asked = target.stream ? 'stream' : 'document';
  const request = emptyRequest(surface.name, target.stream);
  return new SniffingReader(target.provider.name, asked, (form) => {
    if (form !== asked) {
      const parsed = parseRequestJson(body);
      const caller = { body: isRecord(parsed) ? parsed : {}, request, includeUsage };
      return translatedReader(surface, provider, caller, target);
    }
    const newEvents = () => new AnswerEvents(provider.answerParser({ request, target, newId }), target.provider.name);
    const rewritten = rewriter?.(body, target) ?? undefined;
    return form === 'stream'
      ? new PassingStreamReader(newEvents(), rewritten, maxOutputTokens == null ? null : newEnding())
      : new PassingDocumentReader(newEvents, rewritten);
  });
}

/**
 * Passing an answer takes nothing of the request: its parts were not read, because a native request may hold
 * what the canonical form does not name.
 */
export function emptyRequest(surface: DialectName, stream: boolean): CanonicalRequest {
  return { surface, stream, messages: [], unread: [] };
}
