import type { MessagePart, ToolCallPart, ToolResultPart } from '../canonical/generation-request';
import { invalid } from '../canonical/request-fields';
import { isRecord, parseJson } from '../wire/json-value';
import { mediaPart } from './to-media';
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
