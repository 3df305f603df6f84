import { ControlError } from './behaviour';
import {
  controlsInHeaders,
  controlsInText,
  defaultBehaviour,
  readBehaviour,
  splitModel,
  withoutControls,
} from './read-behaviour';

const plain = defaultBehaviour('');

it('reads controls from a model’s name, from headers and from a message', () => {
  expect(splitModel('gpt-5?tokens=5&fault=stall')).toEqual({ name: 'gpt-5', controls: 'tokens=5&fault=stall' });
  expect(splitModel('gpt-5')).toEqual({ name: 'gpt-5', controls: '' });
  expect(controlsInHeaders({ 'x-sandbox-delay-ms': '5', 'x-other': '1' })).toBe(' delay_ms=5');
  expect(controlsInText('hi [[sandbox: tokens=3 at=1]] there')).toBe(' tokens=3 at=1');
  expect(withoutControls('hi [[sandbox: tokens=3]]')).toBe('hi');
});

it('lets the later text win, and keeps the rest', () => {
  expect(readBehaviour(plain, ['tokens=5&delay_ms=1', 'tokens=9 fault=503 retry_after=2'])).toMatchObject({
    tokens: 9,
    delayMs: 1,
    status: 503,
    retryAfterS: 2,
    fault: null,
  });
  expect(readBehaviour(plain, ['fault=503', 'fault=none'])).toMatchObject({ status: null, fault: null });
});

it('reads what each round of calls is', () => {
  const script = [[{ name: 'write', arguments: { path: 'a b' } }], []];
  const text = Buffer.from(JSON.stringify(script)).toString('base64url');
  expect(readBehaviour(plain, [`script=${text}`])).toMatchObject({ script });
});

it.each([
  'tokens',
  'tokens=',
  'tokens=-1',
  'tokens=1.5',
  'tokens=1e9',
  'speed=5',
  'fault=oops',
  'fault=200',
  'script=W10x',
])('refuses %s rather than ignoring it', (text) => expect(() => readBehaviour(plain, [text])).toThrow(ControlError));
