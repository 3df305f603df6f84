import type {
  MessagePart,
  ToolCallPart,
  ToolResultPart,
  AudioPart,
  FilePart,
  ImagePart,
  MediaSource,
} from '../canonical/generation-request';
import { invalid } from '../canonical/request-fields';
import { isRecord, parseJson } from '../wire/json-value';
import type { ToolNames } from '../canonical/tool-names';

/** A part of Gemini's contents. https://ai.google.dev/api/caching#Part */
export type Part = Record<string, unknown>;

/** What the writing of one request needs to know. */
interface Writing {
  names: ToolNames;
  /** The calls of the conversation by their ids, with their places among all of them. */
  calls: ReadonlyMap<string, { name: string; place: number }>;
  /** True where calls and results are matched by ids, false where by name and place. */
  takesIds: boolean;
  /** True where a tool may answer with media. */
  takesMediaResults: boolean;
  warn: (warning: string) => void;
}

/** Writes the parts of messages as parts of contents. One per request. */
export class PartWriter {
  private readonly places = new Map<Part, number>();

  constructor(private readonly writing: Writing) {}

  /** The parts of one message, in order. Empty text and other providers' sealed reasoning give none. */
  parts(parts: readonly MessagePart[]): Part[] {
    const written: Part[] = [];
    // Seals of a text that a caller's dialect could only put before it.
    const early: Part[] = [];
    for (const part of parts) {
      const seal = textSeal(part);
      if (seal !== null) {
        if (isText(written.at(-1))) written.push(seal);
        else early.push(seal);
        continue;
      }
      if (part.type === 'tool-call') written.push(...early.splice(0));
      written.push(...this.one(part));
      if (isText(written.at(-1))) written.push(...early.splice(0));
    }
    return [...written, ...early];
  }

  /** Results of tools in the order of their calls, before everything else. */
  resultsFirst(parts: readonly Part[]): Part[] {
    const placeOf = (part: Part): number => this.places.get(part) ?? Number.MAX_SAFE_INTEGER;
    return [...parts].sort((one, other) => placeOf(one) - placeOf(other));
  }

  private one(part: MessagePart): Part[] {
    switch (part.type) {
      case 'text':
      case 'refusal':
        return part.text === '' ? [] : [{ text: part.text }];
      case 'image':
      case 'file':
      case 'audio':
        return [mediaPart(part, this.writing.warn)];
      case 'tool-call':
        return [this.call(part)];
      case 'tool-result':
        return this.result(part);
      case 'reasoning':
        return thought(part);
    }
  }

  private call(part: ToolCallPart): Part {
    const { id, name, signature } = part;
    const functionCall = { ...this.id(id), name: this.writing.names.to(name), args: this.args(part) };
    return signature?.dialect === 'gemini' ? { functionCall, thoughtSignature: signature.value } : { functionCall };
  }

  private id(id: string): Part {
    return this.writing.takesIds ? { id } : {};
  }

  /** Arguments must be an object; what a model wrote otherwise is kept as text. */
  private args({ arguments: text, name }: ToolCallPart): Part {
    if (text.trim() === '') return {};
    const value = parseJson(text);
    if (isRecord(value)) return value;
    this.writing.warn(
      `the arguments of a call of ${name} were no JSON object; they are sent as text under "arguments"`,
    );
    return { arguments: text };
  }

  /**
   * `output` and `error` are the names that Gemini knows in a response:
   * https://ai.google.dev/api/caching#FunctionResponse From Gemini 3 on it may hold media, before that they
   * follow it: https://ai.google.dev/gemini-api/docs/function-calling#multimodal
   */
  private result({ toolCallId, toolName, content, isError }: ToolResultPart): Part[] {
    const call = this.writing.calls.get(toolCallId);
    const name = call?.name ?? toolName;
    if (name === undefined)
      throw invalid('messages', `holds a result of the tool call '${toolCallId}', which no message makes`);
    const text = content
      .filter((part) => part.type === 'text')
      .map((part) => part.text)
      .join('\n');
    const media = content.filter((part) => part.type !== 'text').map((part) => mediaPart(part, this.writing.warn));
    const inside = this.writing.takesMediaResults ? media.filter((part) => 'inlineData' in part) : [];
    const outside = media.filter((part) => !inside.includes(part));
    if (outside.length > 0)
      this.writing.warn('media in a tool result were put behind it: Gemini takes none of this kind inside');
    const functionResponse = {
      ...this.id(toolCallId),
      name: this.writing.names.to(name),
      response: isError === true ? { error: text } : { output: text },
      ...(inside.length > 0 && { parts: inside }),
    };
    const result = { functionResponse };
    this.places.set(result, call?.place ?? 0);
    return [result, ...outside];
  }
}

/**
 * The signature of a text travels as reasoning without words. It goes back in an empty text behind the text,
 * the form in which streams bring it:
 * https://ai.google.dev/gemini-api/docs/thought-signatures
 */
function textSeal(part: MessagePart): Part | null {
  if (part.type !== 'reasoning' || part.text !== '' || part.seal?.dialect !== 'gemini') return null;
  return { text: '', thoughtSignature: part.seal.value };
}

function isText(part: Part | undefined): boolean {
  return part !== undefined && typeof part.text === 'string' && part.thought !== true;
}

function thought({ text, seal }: Extract<MessagePart, { type: 'reasoning' }>): Part[] {
  if (text === '' || (seal !== undefined && seal.dialect !== 'gemini')) return [];
  return [{ text, thought: true, ...(seal && { thoughtSignature: seal.value }) }];
}

type Warn = (warning: string) => void;

/**
 * Types by the ending of an address: Gemini wants to be told.
 * https://ai.google.dev/gemini-api/docs/file-input-methods
 */
const typeByEnding: Readonly<Record<string, string>> = {
  png: 'image/png',
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  webp: 'image/webp',
  heic: 'image/heic',
  heif: 'image/heif',
  gif: 'image/gif',
  pdf: 'application/pdf',
  txt: 'text/plain',
  md: 'text/markdown',
  html: 'text/html',
  csv: 'text/csv',
  json: 'application/json',
  xml: 'text/xml',
  mp3: 'audio/mp3',
  wav: 'audio/wav',
  ogg: 'audio/ogg',
  flac: 'audio/flac',
  aac: 'audio/aac',
  mp4: 'video/mp4',
  mov: 'video/quicktime',
  webm: 'video/webm',
};

/**
 * A part with media: in the request, or at an address that Google fetches.
 * @throws GatewayError 400 for a file that Gemini cannot reach.
 */
function mediaPart(part: ImagePart | FilePart | AudioPart, warn: Warn): Record<string, unknown> {
  if (part.type === 'file' && part.filename !== undefined)
    warn('the name of a file was dropped: Gemini has no field for it');
  const { source } = part;
  switch (source.kind) {
    case 'data':
      return { inlineData: { mimeType: source.mediaType, data: source.data } };
    case 'url':
      refuseOurOwn(source.url);
      return { fileData: { mimeType: typeAt(source, part.type, warn), fileUri: source.url } };
    case 'file-id':
      throw invalid('messages', 'holds a file that was uploaded to another provider, which Gemini cannot read');
  }
}

/**
 * Google would read files of our own account for a caller: those uploaded with our key, and those of our
 * buckets (gs:).
 */
function refuseOurOwn(url: string): void {
  if (/^https?:\/\//i.test(url) && !/^https?:\/\/[^/]*generativelanguage\.googleapis\.com/i.test(url)) return;
  throw invalid('messages', 'holds a file whose address is not one of the public web (http or https)');
}

function typeAt(
  { url, mediaType }: Extract<MediaSource, { kind: 'url' }>,
  kind: 'image' | 'file' | 'audio',
  warn: Warn,
): string {
  if (mediaType !== undefined) return mediaType;
  const ending = /\.([a-z0-9]+)(?:[?#]|$)/i.exec(url)?.[1]?.toLowerCase() ?? '';
  const known = Object.hasOwn(typeByEnding, ending) ? typeByEnding[ending] : undefined;
  if (known !== undefined) return known;
  const guess = { image: 'image/jpeg', file: 'application/pdf', audio: 'audio/mp3' }[kind];
  warn(`the type of ${url.slice(0, 80)} was taken for ${guess}: Gemini must know it, and the address does not tell`);
  return guess;
}
