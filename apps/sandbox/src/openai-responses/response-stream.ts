import { inPieces, textOf } from '../answer/pieces';
import type { PlannedBlock } from '../answer/planned-answer';
import type { SpokenStep, SpokenStream } from '../speech/simulated-dialect';
import { hostedEvents } from './hosted-item';
import { annotationsOf, begunItem, customInput, isSummarized, logprobsOf } from './output-item';
import type { ResponsesRequest } from './read-responses';

type Json = Record<string, unknown>;
type WriteEvent = (type: string, members: Json) => string;

/** An item of the output and the block that it tells; null: it is of a tool of the provider's own. */
export interface ResponsePart {
  block: PlannedBlock | null;
  item: Json;
}

/** A response before its answer and behind it, and the items in between. */
interface Course {
  begun: Json;
  ended: Json;
  parts: readonly ResponsePart[];
  request: ResponsesRequest;
}

/** https://platform.openai.com/docs/api-reference/responses-streaming */
export function responseStream(course: Course): SpokenStream {
  let sequence = 0;
  const event: WriteEvent = (type, members) =>
    `event: ${type}\ndata: ${JSON.stringify({ type, sequence_number: sequence++, ...members })}\n\n`;
  const { begun, ended } = course;
  return {
    opening: event('response.created', { response: begun }) + event('response.in_progress', { response: begun }),
    steps: stepsOf(course, event),
    closing: () => event(`response.${String(ended.status)}`, { response: ended }),
  };
}

function* stepsOf({ parts, request }: Course, event: WriteEvent): Generator<SpokenStep> {
  for (const [index, { block, item }] of parts.entries()) {
    const place = { item_id: item.id, output_index: index };
    const added = event('response.output_item.added', { output_index: index, item: begunItem(item) });
    yield { bytes: added, tokens: block?.type === 'tool-call' ? block.nameTokens : 0 };
    if (block) yield* insides(block, place, request, event);
    else for (const bytes of hostedEvents(item, place, event)) yield written(bytes);
    yield { bytes: event('response.output_item.done', { output_index: index, item }), tokens: 0 };
  }
}

/** The events between the beginning and the end of an item. */
function* insides(
  block: PlannedBlock,
  place: Json,
  request: ResponsesRequest,
  event: WriteEvent,
): Generator<SpokenStep> {
  const text = textOf(block.pieces);
  switch (block.type) {
    case 'reasoning':
      if (isSummarized(block, request)) yield* summarySteps(block, { ...place, summary_index: 0 }, event);
      // Thoughts that are not shown cost as much.
      else yield* silentSteps(block);
      return;
    case 'text':
      // What stands for a conversation is told whole.
      if (request.compacts) yield* silentSteps(block);
      else yield* textSteps(block, { ...place, content_index: 0 }, request, event);
      return;
    case 'refusal': {
      const at = { ...place, content_index: 0 };
      const part = (refusal: string) => ({ ...at, part: { type: 'refusal', refusal } });
      yield written(event('response.content_part.added', part('')));
      yield* deltas('response.refusal.delta', block, at, event);
      yield written(event('response.refusal.done', { ...at, refusal: text }));
      yield written(event('response.content_part.done', part(text)));
      return;
    }
    case 'tool-call': {
      const tool = request.callerTools.get(block.name);
      if (tool?.kind === 'custom') {
        yield* customSteps(block, place, event);
        return;
      }
      // A search has its arguments in its item alone.
      if (tool?.kind === 'search') {
        yield* silentSteps(block);
        return;
      }
      yield* deltas('response.function_call_arguments.delta', block, place, event);
      const members = { ...place, name: tool?.name ?? block.name, arguments: text };
      yield written(event('response.function_call_arguments.done', members));
    }
  }
}

function* summarySteps(block: PlannedBlock, at: Json, event: WriteEvent): Generator<SpokenStep> {
  const text = textOf(block.pieces);
  const part = (shown: string) => ({ ...at, part: { type: 'summary_text', text: shown } });
  yield written(event('response.reasoning_summary_part.added', part('')));
  yield* deltas('response.reasoning_summary_text.delta', block, at, event);
  yield written(event('response.reasoning_summary_text.done', { ...at, text }));
  yield written(event('response.reasoning_summary_part.done', part(text)));
}

function* textSteps(
  block: Extract<PlannedBlock, { type: 'text' }>,
  at: Json,
  { topLogprobs }: ResponsesRequest,
  event: WriteEvent,
): Generator<SpokenStep> {
  const text = textOf(block.pieces);
  const part = (members: Json) => ({ ...at, part: { type: 'output_text', ...members } });
  yield written(event('response.content_part.added', part({ text: '', annotations: [], logprobs: [] })));
  for (const piece of block.pieces) {
    const delta = { ...at, delta: piece.text, logprobs: logprobsOf([piece], topLogprobs) };
    yield { bytes: event('response.output_text.delta', delta), tokens: piece.tokens };
  }
  const annotations = annotationsOf(block);
  for (const [index, annotation] of annotations.entries())
    yield written(event('response.output_text.annotation.added', { ...at, annotation_index: index, annotation }));
  const logprobs = logprobsOf(block.pieces, topLogprobs);
  yield written(event('response.output_text.done', { ...at, text, logprobs }));
  yield written(event('response.content_part.done', part({ text, annotations, logprobs })));
}

/** A tool that takes text gets what its only argument would be. */
function* customSteps(block: PlannedBlock, place: Json, event: WriteEvent): Generator<SpokenStep> {
  const input = customInput(textOf(block.pieces));
  const deltas = inPieces(input, 6);
  // What is told of the answer counts its pieces as they were planned, and so do the books.
  for (const [index, { text }] of deltas.entries()) {
    const bytes = event('response.custom_tool_call_input.delta', { ...place, delta: text });
    yield { bytes, tokens: block.pieces[index]?.tokens ?? 0 };
  }
  for (const { tokens } of block.pieces.slice(deltas.length)) yield { bytes: '', tokens };
  yield written(event('response.custom_tool_call_input.done', { ...place, input }));
}

/** What is not shown costs as much. */
function* silentSteps(block: PlannedBlock): Generator<SpokenStep> {
  for (const { tokens } of block.pieces) yield { bytes: '', tokens };
}

function* deltas(type: string, block: PlannedBlock, at: Json, event: WriteEvent): Generator<SpokenStep> {
  for (const { text, tokens } of block.pieces) yield { bytes: event(type, { ...at, delta: text }), tokens };
}

function written(bytes: string): SpokenStep {
  return { bytes, tokens: 0 };
}
