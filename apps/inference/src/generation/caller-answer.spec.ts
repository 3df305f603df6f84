import { AccountPace, Company } from '@tollgate/messaging';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { RouteTable } from '../routing/route-table';
import { aModel, aProvider, aSnapshot, someCredentials } from '../testing/fixtures';
import { answerHead, AnswerTurns, type AnswerFacts } from './caller-answer';

function head(overrides: Partial<AnswerFacts> = {}, simulated = false): Record<string, string> {
  const credentials = someCredentials([aProvider()], { acme: null }, simulated);
  const table = new RouteTable(aSnapshot([aProvider()], [aModel()]), credentials, 'http://127.0.0.1:4010');
  const [route] = table.routes('acme/one', 'openai-chat', 'key-1');
  if (!route) throw new Error('no route');
  return answerHead({ route, stream: false, attempts: () => 1, warnings: [], ...overrides }, {}).headers;
}

describe('the head of an answer', () => {
  it('asks everyone on the way not to hold a stream back', () => {
    expect(head({ stream: true })).toMatchObject({
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-cache',
      'x-accel-buffering': 'no',
    });
  });

  it('names what answered, after how many attempts', () => {
    expect(head({ attempts: () => 3 })).toEqual({
      'content-type': 'application/json',
      'x-gateway-provider': 'acme',
      'x-gateway-model': 'acme/one',
      'x-gateway-attempts': '3',
    });
  });

  it('tells warnings in one header that is safe on the wire', () => {
    expect(head({ warnings: ['seed was dropped', 'a\r\nb: ü'] })['x-gateway-warnings']).toBe(
      'seed was dropped; a??b: ?',
    );
  });

  it('tells as many of them as every proxy takes, each once, and how many more there are', () => {
    const warnings = Array.from({ length: 300 }, (_, at) => `anyOf of the schema of tool_${at} became words`);
    const told = head({ warnings: ['seed was dropped', 'seed was dropped', ...warnings] })['x-gateway-warnings'] ?? '';
    expect(told.length).toBeLessThan(2_100);
    const some = told.split('; ');
    expect(some.slice(0, 2)).toEqual(['seed was dropped', warnings[0]]);
    expect(some.at(-1)).toBe(`and ${300 - (some.length - 2)} more`);
    expect(head({ warnings: ['x'.repeat(5_000)] })['x-gateway-warnings']).toBe('x'.repeat(2_048));
  });

  it('says when a simulated provider answered', () => {
    expect(head({}, true)['x-gateway-sandbox']).toBe('true');
  });
});

describe('the answers for one account', () => {
  const mebibyte = 1_048_576;
  const piece = 65_536;
  const owner = { keyId: 'key', accountId: 'one' };
  const other = { keyId: 'key of another', accountId: 'other' };

  let isOver = false;
  beforeEach(() => {
    isOver = false;
    jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate'] });
  });
  afterEach(() => {
    isOver = true;
    jest.useRealTimers();
  });

  /** Answers without an end, read at 16 pieces a second after the first 32, or 32 a second. */
  function someAnswers() {
    const bounds = { bytesPerS: mebibyte, burstBytes: 2 * mebibyte, peakBytesPerS: Infinity };
    const all = new AnswerTurns(new AccountPace(bounds, new Company()));
    const answer = (whose: typeof owner) => {
      const read = all.reader(whose);
      let pieces = 0;
      const takeAll = (): void => {
        while (!isOver) {
          pieces += 1;
          if (read(piece, takeAll)) return;
        }
      };
      return { begin: takeAll, pieces: () => pieces };
    };
    return { answer, all };
  }

  /** Until no answer goes on any more in turns of the event loop alone. */
  async function rest(): Promise<void> {
    for (let turn = 0; turn < 500; turn++) await nextTurn();
  }

  it('are read at its pace beside another, each of them, and what is small waits for none of that', async () => {
    const { answer, all } = someAnswers();
    all.reader(other)(10, () => undefined);
    const large = [answer(owner), answer({ ...owner, keyId: 'another key' })];
    for (const { begin } of large) begin();
    await rest();
    const read = () => large.reduce((sum, { pieces }) => sum + pieces(), 0);
    // Of each the first piece is small, and the last one waits.
    expect(read()).toBe(34);
    expect(all.reader(owner)(1_000, () => undefined)).toBe(false);
    for (let second = 0; second < 3; second++) {
      const before = read();
      for (let tenth = 0; tenth < 10; tenth++) {
        all.reader(other)(10, () => undefined);
        jest.advanceTimersByTime(100);
        await rest();
      }
      expect(Math.abs(read() - before - 16)).toBeLessThanOrEqual(2);
    }
    expect(large.every(({ pieces }) => pieces() > 30)).toBe(true);
  });

  it('have no pace where nobody else is there', async () => {
    const { answer } = someAnswers();
    const large = answer(owner);
    large.begin();
    await rest();
    expect(large.pieces()).toBeGreaterThan(100);
  });
});
