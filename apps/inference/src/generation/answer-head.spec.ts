import { RouteTable } from '../routing/route-table';
import { aModel, aProvider, aSnapshot, someCredentials } from '../testing/fixtures';
import { answerHead, type AnswerFacts } from './answer-head';

const credentials = someCredentials([aProvider()], { acme: null });
const [route] = new RouteTable(aSnapshot([aProvider()], [aModel()]), credentials, null).routes(
  'acme/one',
  'openai-chat',
  'key-1',
);

function head(overrides: Partial<AnswerFacts> = {}): Record<string, string> {
  if (!route) throw new Error('no route');
  return answerHead({ route, stream: false, attempts: () => 1, warnings: [], sandbox: false, ...overrides }, {})
    .headers;
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

  it('says when a simulated provider answered', () => {
    expect(head({ sandbox: true })['x-gateway-sandbox']).toBe('true');
  });
});
