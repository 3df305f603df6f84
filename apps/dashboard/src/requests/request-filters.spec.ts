import { filtersFrom, requestsQueryOf, windowOfId } from './request-filters';

const day = { name: 'day' as const, from: 0, to: 0 };
const now = Date.UTC(2026, 5, 15);
const window = { startAt: now - 86_400_000, endAt: now };
const always = { startAt: 0, endAt: now };
const whole = '019a0000-aaaa-7bbb-8ccc-0123456789ab';

it.each([
  ['nothing', {}, window],
  ['a part of an id, within the range', { idPart: '0123' }, { ...window, idPart: '0123' }],
  ['a whole id that was pasted, in all time', { idPart: whole.toUpperCase() }, { ...always, idPart: whole }],
  ['the id that a link names, in all time', { requestId: 'own-id' }, { ...always, requestId: 'own-id' }],
  ['a status', { status: '503' }, { ...window, status: '503' }],
  ['a status that is none', { status: '5x' }, window],
  ['a time that is none', { atLeastMs: 'long' }, window],
  ['who spent it', { endUser: 'ann', tag: 'team=a' }, { ...window, endUser: 'ann', tag: 'team=a' }],
])('the log is asked for %s', (_what, filters, query) => expect(requestsQueryOf(day, filters, now)).toEqual(query));

it('reads filters from the address, and nothing else', () =>
  expect(filtersFrom(new URLSearchParams('model=a%2Fb&range=hour&tag=&agent=codex'))).toEqual({
    model: 'a/b',
    agent: 'codex',
  }));

it.each([
  [
    '01a21f5d-9f53-70be-84d6-49dffc9329c6',
    { startAt: 0x01a21f5d9f53 - 86_400_000, endAt: 0x01a21f5d9f53 + 86_400_000 },
  ],
  [
    '01A21F5D-9F53-70BE-84D6-49DFFC9329C6',
    { startAt: 0x01a21f5d9f53 - 86_400_000, endAt: 0x01a21f5d9f53 + 86_400_000 },
  ],
  ['00000000-0001-7000-8000-000000000000', { startAt: 0, endAt: 86_400_001 }],
  ['not-an-id', null],
  ['01a21f5d', null],
  ['', null],
])('looks for %j in the days about its begin, or not at all', (id, window) => expect(windowOfId(id)).toEqual(window));
