import { noUsage, type TokenUsage, type UsageEvent } from '@tollgate/contracts';
import { priceSheet } from '@tollgate/contracts/catalog';
import type { AnswerReader, AnswerState } from '@tollgate/dialects';
import type { Route } from '../routing/route-table';
import { aModel, aProvider, aRequest } from '../testing/fixtures';
import { providerEndpoint } from '../upstream/provider-endpoint';
import { countTokens, lostUse, type TokenCount, type TokenEvidence, UsageRecord } from './usage-record';

beforeEach(() => jest.useFakeTimers());
afterEach(() => jest.useRealTimers());

const bySecond = { input: '0', output: '0', terms: { units: { second: '0.0004' } } };

const charged = { isCharged: true, before: null, inputTokens: 0 };
const lost = { told: null, input: null, output: 0, estimated: true };

function aRoute(prices: object | null): Route {
  const provider = aProvider();
  const model = aModel({ prices: prices && priceSheet.parse(prices) });
  const [deployment] = model.deployments;
  return { model, deployment, endpoint: providerEndpoint(provider, provider.baseUrl, { kind: 'none' }) } as Route;
}

/** What is booked of an answer that took so long. */
function bookedAfter(milliseconds: number, prices: object | null, facts: Partial<UsageEvent> = {}, output = 5) {
  const route = aRoute(prices);
  const record = new UsageRecord(aRequest());
  const end = record.beginAttempt(route, 1);
  jest.advanceTimersByTime(milliseconds);
  end(200, null);
  const tokens = { usage: { ...noUsage, output }, estimated: false } as TokenCount;
  const event = { state: 'completed' as const, status: 200, firstTokenAt: null, ...facts };
  return record.event(event, { route, number: 1 }, tokens, charged).usage.served;
}

describe('the seconds of an answer', () => {
  it.each([
    [1, 1],
    [1_000, 1],
    [1_001, 2],
    [90_500, 91],
  ])('are booked where the price of the model is by them: of %d ms, %d', (milliseconds, seconds) => {
    expect(bookedAfter(milliseconds, bySecond)).toEqual({ units: { second: seconds } });
  });

  it('are not booked where no price asks for them, nor of what failed without a token', () => {
    expect(bookedAfter(2_000, { input: '1', output: '1' })).toBeUndefined();
    expect(bookedAfter(2_000, null)).toBeUndefined();
    expect(bookedAfter(2_000, bySecond, { state: 'failed', status: 502 }, 0)).toBeUndefined();
  });

  it('are booked of an answer that was left after it began', () => {
    expect(bookedAfter(2_000, bySecond, { state: 'cancelled', status: 499 })).toEqual({ units: { second: 2 } });
  });
});

it('what is not charged stands at the attempt that would be, and the seconds are its own, whichever ended last', () => {
  const route = aRoute(bySecond);
  const record = new UsageRecord(aRequest());
  const ends = [1, 2].map((number) => record.beginAttempt(route, number));
  jest.advanceTimersByTime(2_500);
  ends[0]?.(200, 'empty_answer', {}, lost);
  jest.advanceTimersByTime(5_500);
  ends[1]?.(null, 'outrun', {}, lost);
  const tokens = { usage: { ...noUsage, input: 11, output: 3 }, estimated: false };
  const facts = { state: 'failed' as const, status: 502, firstTokenAt: null };
  const how = { isCharged: false, before: null, inputTokens: 11 };
  // An attempt that lost took its own seconds, which its provider may charge, too.
  const outrun = { input: 11, output: 0, served: { units: { second: 8 } }, estimated: true };
  const free = record.event(facts, { route, number: 1 }, tokens, how);
  expect(free.usage).toEqual(noUsage);
  expect(free.attempts.map(({ unbilled }) => unbilled)).toEqual([
    { input: 11, output: 3, served: { units: { second: 3 } } },
    outrun,
  ]);
  const paid = record.event(facts, { route, number: 1 }, tokens, { ...how, isCharged: true });
  expect(paid.usage).toMatchObject({ input: 11, output: 3, served: { units: { second: 3 } } });
  expect(paid.attempts.map(({ unbilled }) => unbilled)).toEqual([undefined, outrun]);
});

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
    expect(lost({ stream: false, reader: one })).toEqual({ told, input: asTold, output, estimated: false });
    expect(lost({ reader: one })).toEqual({ told, input: asTold, output, estimated: true });
    expect(lost({ reader: { ...one, outputLength: 8 } })).toEqual({ told, input: asTold, output, estimated: false });
  });

  it('is a fourth of the characters that came, and no input, where it told nothing: no tokenizer runs', () => {
    const counts = jest.fn(() => 5);
    const waiting = { ...reader('waiting', null, 5), outputTokensSeen: counts, outputLength: 30 };
    expect(lost({ reader: waiting })).toEqual({ told: null, input: null, output: 8, estimated: true });
    expect(lost({})).toEqual({ told: null, input: null, output: 0, estimated: true });
    expect(counts).not.toHaveBeenCalled();
  });

  it('is nothing where it was never reached, or refused with an HTTP error', () => {
    expect(lost({ requestSent: false })).toBeNull();
    expect(lost({ status: 503 })).toBeNull();
  });
});
