import { isDeepStrictEqual } from 'node:util';
import { broken, countIn, demand, listIn, nameIn, objectIn, textIn } from './stream-grammar';

type Json = Record<string, unknown>;

interface Part {
  type: string;
  text: string;
  annotations: Json[];
  logprobs: unknown[];
  isTextDone: boolean;
  whole: Json | null;
}

/** How each kind of part is spoken of: its field, and the events that fill it. */
const kinds: Readonly<Record<string, { field: string; event: string }>> = {
  output_text: { field: 'text', event: 'response.output_text' },
  refusal: { field: 'refusal', event: 'response.refusal' },
  summary_text: { field: 'text', event: 'response.reasoning_summary_text' },
};

/** How the parts of an item are added, counted and ended, by the type of the item. */
const frames: Readonly<Record<string, { event: string; index: string; parts: readonly string[] }>> = {
  message: { event: 'response.content_part', index: 'content_index', parts: ['output_text', 'refusal'] },
  reasoning: { event: 'response.reasoning_summary_part', index: 'summary_index', parts: ['summary_text'] },
};

/** The parts of a message or of a summary of reasoning: each is added, filled, told whole, and done. */
export class ResponsesParts {
  private readonly parts: Part[] = [];

  constructor(private readonly itemType: string) {}

  take(eventName: string, json: Json): void {
    const frame = frames[this.itemType] ?? broken(`${eventName} in an item of type ${this.itemType}`);
    const index = countIn(json, frame.index);
    if (eventName === `${frame.event}.added`) return this.add(index, objectIn(json, 'part'), frame.parts);
    const part = this.parts[index] ?? broken(`part ${index} goes on before it was added`);
    demand(part.whole === null, `${eventName} after its part was done`);
    if (eventName === `${frame.event}.done`) return finishPart(part, objectIn(json, 'part'));
    fill(part, eventName, json);
  }

  /** The parts as they were when they were done; an open part is told. */
  whole(): Json[] {
    return this.parts.map(({ whole }, index) => whole ?? broken(`part ${index} was never done`));
  }

  private add(index: number, part: Json, types: readonly string[]): void {
    demand(index === this.parts.length, `part ${index} begins where ${this.parts.length} is next`);
    const type = nameIn(part, 'type');
    const kind = kinds[type];
    if (!kind || !types.includes(type)) return broken(`a part of type ${type} in an item of type ${this.itemType}`);
    demand(textIn(part, kind.field) === '', 'a part begins with text');
    this.parts.push({ type, text: '', annotations: [], logprobs: [], isTextDone: false, whole: null });
  }
}

function fill(part: Part, eventName: string, json: Json): void {
  const { field, event } = kinds[part.type] ?? broken('no kind');
  demand(!part.isTextDone, `${eventName} after the text was done`);
  switch (eventName) {
    case `${event}.delta`:
      part.text += textIn(json, 'delta');
      if (part.type === 'output_text') part.logprobs.push(...listIn(json, 'logprobs'));
      return;
    case `${event}.done`:
      demand(textIn(json, field) === part.text, 'a text is not what its deltas came to');
      part.isTextDone = true;
      return;
    case 'response.output_text.annotation.added':
      demand(part.type === 'output_text', 'an annotation of a part without text');
      demand(countIn(json, 'annotation_index') === part.annotations.length, 'an annotation out of its order');
      part.annotations.push(objectIn(json, 'annotation'));
      return;
    default:
      return broken(`${eventName} in a part of type ${part.type}`);
  }
}

function finishPart(part: Part, whole: Json): void {
  const { field } = kinds[part.type] ?? broken('no kind');
  demand(part.isTextDone, 'a part is done before its text');
  demand(whole.type === part.type && whole[field] === part.text, 'a part is not what its deltas came to');
  if (part.type === 'output_text') {
    demand(isDeepStrictEqual(whole.annotations, part.annotations), 'the annotations of a part changed');
    if (whole.logprobs !== undefined)
      demand(isDeepStrictEqual(whole.logprobs, part.logprobs), 'the log probabilities of a part changed');
  }
  part.whole = whole;
}
