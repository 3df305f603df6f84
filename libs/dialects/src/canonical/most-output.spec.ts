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
    expect(mostOutput({ model: argon, stream: true }, 1_000, noCount)).toBe(65_536);
    expect(mostOutput({ model: argon, stream: false }, 1_000, noCount)).toBe(32_768);
    expect(mostOutput({ model: { ...model, maxOutputTokens: null }, stream: true }, 9_000_000, noCount)).toBeNull();
  });

  it('is what the input leaves of a context that both share, counted only where that may be less', () => {
    const ask = (bytes: number, tokens: number) => mostOutput({ model: argon, stream: true }, bytes, () => tokens);
    expect(mostOutput({ model: argon, stream: true }, 1_048_576 - 65_536, noCount)).toBe(65_536);
    expect(ask(4_000_000, 900_000)).toBe(65_536);
    expect(ask(4_000_000, 1_000_000)).toBe(48_576);
    expect(ask(9_000_000, 2_000_000)).toBe(1);
    const apart = { ...argon, sharedContext: false };
    expect(mostOutput({ model: apart, stream: true }, 9_000_000, noCount)).toBe(65_536);
  });
});
