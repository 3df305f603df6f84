import { noUsage, type TokenUsage } from '@tollgate/contracts';
import type { AnswerReader, AnswerState } from '@tollgate/dialects';
import { countTokens, lostUse, type TokenEvidence } from './usage-record';

const input = 11;

function reader(state: AnswerState, usage: TokenUsage | null, seen: number): AnswerReader {
  const nothing = (): Uint8Array => new Uint8Array(0);
  return { state, error: null, usage, hasContent: seen > 0, push: nothing, end: nothing, outputTokensSeen: () => seen };
}

function count(overrides: Partial<TokenEvidence>): ReturnType<typeof countTokens> {
  const evidence = { completed: false, stream: true, requestSent: true, reader: null, status: null };
  return countTokens({ ...evidence, ...overrides }, () => input);
}

const told: TokenUsage = { ...noUsage, input: 7, output: 24, cachedInput: 3 };

describe('the tokens of an attempt', () => {
  it("are exactly the provider's, when it completed and told them", () => {
    expect(count({ completed: true, reader: reader('complete', told, 99) })).toEqual({
      usage: told,
      estimated: false,
    });
  });

  it('are counted by tokenizer when a complete answer told none, also one that is no stream', () => {
    const expected = { usage: { ...noUsage, input, output: 5 }, estimated: true };
    expect(count({ completed: true, reader: reader('complete', null, 5) })).toEqual(expected);
    expect(count({ completed: true, stream: false, reader: reader('complete', null, 5) })).toEqual(expected);
  });

  it('keep what served the answer, though no usage was told', () => {
    const served = { tier: 'priority' };
    const { usage } = count({ reader: { ...reader('flowing', null, 5), served } });
    expect(usage).toEqual({ ...noUsage, input, output: 5, served });
  });

  it('have what the answer told of tools before it was cut off, which is an estimate', () => {
    const served = { units: { webSearch: 2 } };
    const atStart = { ...told, output: 5, served: { speed: 'fast' } };
    expect(count({ reader: { ...reader('flowing', atStart, 5), served } })).toEqual({
      usage: { ...atStart, served: { speed: 'fast', units: { webSearch: 2 } } },
      estimated: true,
    });
    const atEnd = { ...told, served: { units: { webSearch: 1 } } };
    expect(count({ reader: { ...reader('flowing', atEnd, 24), served } })).toEqual({ usage: atEnd, estimated: false });
    expect(count({ completed: true, reader: { ...reader('complete', told, 24), served } }).usage).toEqual(told);
  });

  it('are what arrived, when a stream was cut off', () => {
    expect(count({ reader: reader('flowing', null, 5) })).toEqual({
      usage: { ...noUsage, input, output: 5 },
      estimated: true,
    });
  });

  it("take the provider's input count when only that was told before the cut", () => {
    const atStart = { ...told, output: 1 };
    expect(count({ reader: reader('flowing', atStart, 5) })).toEqual({
      usage: { ...told, output: 5 },
      estimated: true,
    });
  });

  it("are the provider's when only the closing of the stream was cut off", () => {
    expect(count({ reader: reader('flowing', told, 24) })).toEqual({ usage: told, estimated: false });
  });

  it('are the input only, when the provider took the request and gave nothing that can be read', () => {
    const expected = { usage: { ...noUsage, input }, estimated: true };
    expect(count({})).toEqual(expected);
    expect(count({ stream: false, reader: reader('waiting', null, 5) })).toEqual(expected);
    expect(count({ status: 200, reader: reader('failed', null, 0) })).toEqual(expected);
  });

  it.each<[string, Partial<TokenEvidence>]>([
    ['was never reached', { requestSent: false }],
    ['refused it with an HTTP error', { status: 500 }],
  ])('are none when the provider %s', (_name, evidence) => {
    expect(count(evidence)).toEqual({ usage: noUsage, estimated: false });
  });
});

describe('what is kept of an attempt that did not complete', () => {
  const evidence = { stream: true, requestSent: true, reader: null, status: null };
  const lost = (overrides: Partial<TokenEvidence>) => lostUse({ ...evidence, ...overrides });

  it('is what its provider told, also of an answer without anything that could be read', () => {
    const one = reader('failed', told, 0);
    const { input: asTold, output } = told;
    expect(lost({ stream: false, reader: one })).toEqual({ input: asTold, output, estimated: false });
    expect(lost({ reader: one })).toEqual({ input: asTold, output, estimated: true });
    expect(lost({ reader: { ...one, outputLength: 8 } })).toEqual({ input: asTold, output, estimated: false });
  });

  it('is a fourth of the characters that came, and no input, where it told nothing: no tokenizer runs', () => {
    const counts = jest.fn(() => 5);
    const waiting = { ...reader('waiting', null, 5), outputTokensSeen: counts, outputLength: 30 };
    expect(lost({ reader: waiting })).toEqual({ input: null, output: 8, estimated: true });
    expect(lost({})).toEqual({ input: null, output: 0, estimated: true });
    expect(counts).not.toHaveBeenCalled();
  });

  it('is nothing where it was never reached, or refused with an HTTP error', () => {
    expect(lost({ requestSent: false })).toBeNull();
    expect(lost({ status: 503 })).toBeNull();
  });
});
