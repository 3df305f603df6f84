import { RouteTable } from '../routing/route-table';
import { aModel, aProvider, aSnapshot, someCredentials } from '../testing/fixtures';
import { answerHead, type AnswerFacts } from './caller-answer';

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
