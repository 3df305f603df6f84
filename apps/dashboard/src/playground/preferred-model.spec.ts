import { preferredModel } from './preferred-model';

const model = (id: string, simulated = true) => ({ id, simulated }) as Parameters<typeof preferredModel>[0][number];
const usual = 'openai/gpt-5.4-mini';

it.each([
  ['the last that was asked', [model('a/one'), model(usual)], 'a/one', 'a/one'],
  ['the usual one, where all are simulated', [model('a/one'), model(usual)], 'a/gone', usual],
  ['one that really answers', [model('a/one'), model(usual), model('b/two', false)], '', 'b/two'],
  ['the usual one, where it really answers', [model('b/two', false), model(usual, false)], '', usual],
  ['any', [model('a/one')], '', 'a/one'],
  ['none, where there is none', [], '', ''],
])('is %s', (_what, models, last, expected) => expect(preferredModel(models, last)).toBe(expected));
