import { timelineOf } from './timeline';

const attempt = (startedAfterMs: number | undefined, latencyMs: number, error: string | null = null) => ({
  deployment: 'eu',
  provider: 'openai',
  status: error === null ? 200 : 503,
  error,
  latencyMs,
  ...(startedAfterMs !== undefined && { startedAfterMs }),
});
const told = (attempts: ReturnType<typeof attempt>[], firstTokenAt: number | null, endedAt: number) =>
  timelineOf({
    attempts,
    startedAt: 1_000,
    firstTokenAt: firstTokenAt && 1_000 + firstTokenAt,
    endedAt: 1_000 + endedAt,
  }).map(({ name, fromMs, toMs }) => `${name} ${fromMs}-${toMs}`);

it.each([
  [
    'one that failed, a pause, and one that streamed',
    told([attempt(5, 40, 'upstream_error'), attempt(145, 355)], 300, 510),
    [
      'Queue 0-5',
      'Attempt 1 failed 5-45',
      'Pause 45-145',
      'Attempt 2, first token 145-300',
      'Answer 300-500',
      'End 500-510',
    ],
  ],
  ['one without content', told([attempt(0, 50, 'refused')], null, 50), ['Attempt 1 failed 0-50']],
  [
    'two that ran together, of which the later one answered',
    told([attempt(100, 50), attempt(2, 200, 'outrun')].toReversed(), 120, 202),
    ['Queue 0-2', 'Attempt 1 failed 2-202', 'Attempt 2, first token 100-120', 'Answer 120-150'],
  ],
  [
    'a first token before its attempt, by another clock',
    told([attempt(20, 80)], 10, 100),
    ['Queue 0-20', 'Answer 20-100'],
  ],
  [
    'attempts that do not tell when',
    told([attempt(undefined, 90)], 30, 100),
    ['Wait for the first token 0-30', 'Answer 30-100'],
  ],
  ['no attempt at all', told([], null, 3), ['Wait for the first token 0-3']],
  ['an end before the start', told([], null, -3), []],
])('a request of %s', (_what, spans, expected) => expect(spans).toEqual(expected));
