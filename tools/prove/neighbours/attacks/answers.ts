import type { Attack } from '../attack';
import { asking } from '../attack';

const few = { atOnce: 8, perSecond: 8 };
const some = { atOnce: 16, perSecond: 40 };
/** What the patterns of tollgate.yaml beside this have most work with. */
const nearMisses = `${'a'.repeat(40_000)}! ${'1234-5678-'.repeat(4_000)} ${'a@b.'.repeat(10_000)}`;

/** Answers that are dear to make, to keep or to hand over. */
export const answerAttacks: readonly Attack[] = [
  asking('huge plain answers', few, (attacker, number) => ({ body: attacker.chat(number, 'tokens=200000') })),
  {
    name: '200: plain answers of 60 MiB',
    ...few,
    // So long that one comes through on a busy machine, too: without any the attack was none.
    leastMs: 20_000,
    act: (attacker, number, end) => attacker.ask({ body: attacker.chat(number, 'tokens=3 pad_kib=61440') }, end),
  },
  asking('huge streams', few, (attacker, number) => ({
    body: attacker.chat(number, 'tokens=200000', { stream: true }),
  })),
  asking('cache misses with huge answers', few, (attacker, number) => ({
    key: attacker.means.keys.cached,
    body: attacker.chat(number, 'tokens=100000'),
  })),
  asking('a thousand choices', few, (attacker, number) => ({ body: attacker.chat(number, 'tokens=20', { n: 1_000 }) })),
  asking('128 choices', few, (attacker, number) => ({ body: attacker.chat(number, 'tokens=20', { n: 128 }) })),
  asking('the best of twenty, for twenty prompts', few, () => ({
    path: '/v1/completions',
    body: {
      model: 'openai/gpt-5.4-mini',
      prompt: Array.from({ length: 20 }, (_, number) => `Go on ${number}. [[sandbox: tokens=20]]`),
      best_of: 20,
      n: 1,
    },
  })),
  asking('embeddings of 2,048 texts', few, ({ means }) => ({
    path: '/v1/embeddings',
    body: { model: means.embeddingModel, input: Array.from({ length: 2_048 }, (_, index) => `Text ${index}`) },
  })),
  asking('many models', some, ({ means }, number) => ({
    body: {
      model: means.allModels[number % means.allModels.length],
      messages: [{ role: 'user', content: 'Hi. [[sandbox: tokens=3]]' }],
    },
  })),
  asking('patterns at their worst', few, (attacker, number) => ({
    body: {
      model: attacker.model(number),
      messages: [{ role: 'user', content: `[[sandbox: tokens=3]] ${nearMisses}` }],
    },
  })),
  asking('many small streams', { atOnce: 64, perSecond: 64 }, (attacker, number) => ({
    body: attacker.chat(number, 'tokens=100 delay_ms=5', { stream: true }),
  })),
];
