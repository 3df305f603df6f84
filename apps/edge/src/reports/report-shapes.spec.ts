import { metricsQuery } from './report-shapes';

it.each(['', 'a'.repeat(257), 'a\0', '\0', '\ud800', ['a', 'b'], { a: 1 }])(
  'no report is asked for the model %j',
  (model) => {
    expect(metricsQuery.safeParse({ model }).success).toBe(false);
  },
);

it('asks for the day and for any model id by default', () => {
  expect(metricsQuery.parse({ model: 'openai/gpt-5.4-mini' })).toEqual({ period: 'day', model: 'openai/gpt-5.4-mini' });
  expect(metricsQuery.parse({})).toEqual({ period: 'day' });
});
