import { noUsage } from '@tollgate/contracts';
import type { GenerationSurface } from '@tollgate/contracts';
import type { AnswerChoice, CanonicalAnswer } from '../canonical/answer';
import type { FinishReason } from '../canonical/generation-event';

/**
 * What an answer says, as far as a dialect can say it: the measure for what must survive its writer and its
 * own parser.
 */
export function saidBy(surface: GenerationSurface, answer: CanonicalAnswer): object {
  // Messages always tell usage.
  const usage = answer.usage ?? (surface === 'anthropic-messages' ? noUsage : null);
  return {
    // Only chat completions have more than one choice.
    choices: (surface === 'openai-chat' ? answer.choices : answer.choices.slice(0, 1)).map((choice) =>
      saidIn(surface, choice),
    ),
    // Which cache the written tokens went to is told by messages only.
    usage: usage && {
      input: usage.input,
      output: usage.output,
      cached: usage.cachedInput,
      written: usage.cacheWrite5m + usage.cacheWrite1h,
      written1h: surface === 'anthropic-messages' ? usage.cacheWrite1h : 0,
      reasoning: usage.reasoning,
    },
  };
}

function saidIn(surface: GenerationSurface, { blocks, finish }: AnswerChoice): object {
  const texts = blocks.filter((block) => block.type === 'text');
  const refusals = blocks.filter((block) => block.type === 'refusal');
  // Messages have no refusals: their words are text, and the reason to stop says the rest.
  const spoken =
    surface === 'anthropic-messages' ? blocks.filter(({ type }) => type === 'text' || type === 'refusal') : texts;
  return {
    text: joined(spoken),
    refusal: surface === 'anthropic-messages' ? '' : joined(refusals),
    reasoning: joined(blocks.filter((block) => block.type === 'reasoning')),
    calls: blocks.flatMap((block) =>
      block.type === 'tool-call'
        ? [{ id: block.id, name: block.name, arguments: block.arguments === '' ? '{}' : block.arguments }]
        : [],
    ),
    citations: texts.flatMap(({ citations }) =>
      citations.flatMap(({ url, title }) => (url === null ? [] : [{ url, title }])),
    ),
    logprobs: surface === 'anthropic-messages' ? [] : texts.flatMap(({ logprobs }) => logprobs ?? []),
    finish: finishBy(surface, finish, {
      refused: refusals.length > 0,
      called: blocks.some(({ type }) => type === 'tool-call'),
    }),
  };
}

function joined(blocks: readonly object[]): string {
  return blocks.map((block) => ('text' in block ? block.text : '')).join('');
}

/** The reason to stop that a dialect's reader understands from its words. */
function finishBy(
  surface: GenerationSurface,
  finish: FinishReason,
  { refused, called }: { refused: boolean; called: boolean },
): FinishReason {
  const plain = called ? 'tool-calls' : refused ? 'refusal' : 'stop';
  switch (surface) {
    case 'anthropic-messages':
      if (finish === 'stop' || finish === 'unknown') return plain;
      return finish === 'content-filter' ? 'refusal' : finish;
    case 'openai-chat':
      if (finish === 'length' || finish === 'context-length') return 'length';
      if (finish === 'content-filter' || (finish === 'refusal' && !refused)) return 'content-filter';
      return called ? 'tool-calls' : 'stop';
    case 'openai-responses':
      if (finish === 'length' || finish === 'context-length') return 'length';
      return finish === 'content-filter' || (finish === 'refusal' && !refused) ? 'content-filter' : plain;
  }
}
