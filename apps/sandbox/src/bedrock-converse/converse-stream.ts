import type { PlannedAnswer, PlannedBlock } from '../answer/planned-answer';
import type { Spoken, SpokenStep, SpokenStream } from '../speech/simulated-dialect';
import { citationsOf, metadataOf, stopReasons, toolUseId } from './converse-content';
import { frame } from './frame';

/** https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ConverseStream.html */
export function converseStream({ choices, usage }: Spoken): SpokenStream {
  const [answer] = choices;
  return {
    opening: frame('event', 'messageStart', { role: 'assistant' }),
    steps: stepsOf(answer),
    closing: () =>
      Buffer.concat([
        frame('event', 'messageStop', { stopReason: stopReasons[answer.finish] }),
        frame('event', 'metadata', metadataOf(usage)),
      ]),
  };
}

/** Only blocks of tool use have a start. */
function* stepsOf({ blocks }: PlannedAnswer): Generator<SpokenStep> {
  for (const [contentBlockIndex, block] of blocks.entries()) {
    const delta = (members: object) => frame('event', 'contentBlockDelta', { contentBlockIndex, delta: members });
    if (block.type === 'tool-call') {
      const start = { toolUse: { toolUseId: toolUseId(block.id), name: block.name } };
      yield { bytes: frame('event', 'contentBlockStart', { contentBlockIndex, start }), tokens: block.nameTokens };
    }
    for (const { text, tokens } of block.pieces) {
      const members = deltaOf(block, text);
      yield { bytes: members ? delta(members) : '', tokens };
    }
    for (const members of lastDeltas(block)) yield { bytes: delta(members), tokens: 0 };
    yield { bytes: frame('event', 'contentBlockStop', { contentBlockIndex }), tokens: 0 };
  }
}

function deltaOf(block: PlannedBlock, text: string): object | null {
  switch (block.type) {
    case 'reasoning':
      return block.isRedacted ? null : { reasoningContent: { text } };
    case 'text':
    case 'refusal':
      return { text };
    case 'tool-call':
      return { toolUse: { input: text } };
  }
}

/** What comes behind the last bit of a block. */
function lastDeltas(block: PlannedBlock): object[] {
  if (block.type === 'reasoning')
    return [{ reasoningContent: block.isRedacted ? { redactedContent: block.seal } : { signature: block.seal } }];
  return block.type === 'text' ? citationsOf(block).map((citation) => ({ citation })) : [];
}
