import { targetWith } from '../openai-chat/target.fixture';
import { mostOutput } from './most-output';

const { model } = targetWith(false);
const argon = {
  ...model,
  contextWindow: 1_048_576,
  maxOutputTokens: 65_536,
  maxOutputUnstreamed: 32_768,
  sharedContext: true,
};
const noCount = (): number => {
  throw new Error('nobody needed the count');
};

// https://docs.cloud.google.com/gemini-enterprise-agent-platform/models/guides/gemini-4-argon
describe('the most output of a model', () => {
  it('is what it writes at once, which may be less without a stream', () => {
    expect(mostOutput({ model: argon, stream: true }, 100_000, 1_000, noCount)).toBe(65_536);
    expect(mostOutput({ model: argon, stream: false }, 100_000, 1_000, noCount)).toBe(32_768);
  });

  it('is its whole context where no other limit is told', () => {
    const untold = { ...model, maxOutputTokens: null, contextWindow: 500_000 };
    expect(mostOutput({ model: untold, stream: true }, 2_000_000, 9_000_000, noCount)).toBe(500_000);
    const unknown = { ...untold, contextWindow: null };
    expect(mostOutput({ model: unknown, stream: true }, 2_000_000, 9_000_000, noCount)).toBeNull();
  });

  it('is what the input leaves of a context that both share, with a margin, counted only where that may be less', () => {
    const ask = (bytes: number, tokens: number) =>
      mostOutput({ model: argon, stream: true }, 65_536, bytes, () => tokens);
    expect(mostOutput({ model: argon, stream: true }, 100_000, 1_048_576 - 65_536, noCount)).toBe(65_536);
    expect(mostOutput({ model: argon, stream: true }, 500, 1_048_000, noCount)).toBe(65_536);
    expect(mostOutput({ model: argon, stream: true }, undefined, 9_000_000, noCount)).toBe(65_536);
    expect(ask(4_000_000, 900_000)).toBe(65_536);
    expect(ask(4_000_000, 1_000_000)).toBe(48_576 / 2);
    expect(ask(9_000_000, 2_000_000)).toBe(1);
    const apart = { ...argon, sharedContext: false };
    expect(mostOutput({ model: apart, stream: true }, 100_000, 9_000_000, noCount)).toBe(65_536);
  });

  // https://github.com/mistralai/client-python (docs/models/chatcompletionrequest.md)
  it('is what the input leaves of a context that is all there is', () => {
    const shared = { ...argon, maxOutputTokens: null, maxOutputUnstreamed: undefined };
    expect(mostOutput({ model: shared, stream: true }, 2_000_000, 4_000, () => 576)).toBe(1_048_000 - 328);
    expect(mostOutput({ model: shared, stream: true }, 1_000, 4_000, noCount)).toBe(1_048_576);
  });
});
