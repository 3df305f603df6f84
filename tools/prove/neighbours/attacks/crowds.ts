import { setTimeout as delay } from 'node:timers/promises';
import type { Attack } from '../attack';
import { asking } from '../attack';
import type { Attacker } from '../attacker';

const small = (model: string, controls = 'tokens=3', text = 'Hi.') => ({
  model,
  stream: true,
  messages: [{ role: 'user', content: `[[sandbox: ${controls}]] ${text}` }],
});
const ownFault = /^5/;
/** So many streams show what a deployment usually takes; its silence is judged from then on. */
const usualAnswers = 12;
/** Longer than any silence that is taken for an outage, while streams begin within half a second. */
const silentMs = 6_500;
const longPrompt = 'A long prompt takes a provider long before it says its first word. '.repeat(3_000);
/** A breaker lets nobody through for so long after it opened. */
const coolDownMs = 5_500;

/** A model that the victim does not use: nothing but the attack is heard of it. */
function unwatched({ means }: Attacker, number = 0): string {
  const others = means.allModels.filter((id) => id.startsWith('openai/gpt') && !means.models.includes(id));
  return others[number] ?? '';
}

/** Crowds of one account, and what they do to those who come behind them, who may be of the same account. */
export const crowdAttacks: readonly Attack[] = [
  asking('refusals beside long answers', { atOnce: 60, perSecond: 60 }, (attacker, number) => {
    const controls = number % 6 === 5 ? 'fault=429' : 'tokens=2000 delay_ms=20';
    return { body: small(attacker.model(Math.floor(number / 6)), controls) };
  }),
  asking('more streams than an instance takes', { atOnce: 450, perSecond: 450 }, (attacker, number) => ({
    body: attacker.chat(number, 'first_ms=20000', { stream: true }),
  })),
  {
    name: 'a small request behind long prompts',
    atOnce: 1,
    perSecond: 1 / 60,
    leastMs: 12_000,
    never: ownFault,
    act: async (attacker, _number, end) => {
      const model = unwatched(attacker);
      for (let count = 0; count < usualAnswers; count++) await attacker.ask({ body: small(model) }, end);
      const body = small(model, 'first_ms=30000', longPrompt);
      const long = Array.from({ length: 6 }, () => attacker.ask({ body }, end));
      await delay(silentMs, undefined, { signal: end });
      const ending = await attacker.ask({ body: small(model) }, end);
      void Promise.allSettled(long);
      return ending;
    },
  },
  {
    name: 'small requests behind a slow one, after a fault',
    atOnce: 1,
    perSecond: 1 / 60,
    leastMs: 10_000,
    never: ownFault,
    act: async (attacker, _number, end) => {
      const model = unwatched(attacker, 1);
      const { several } = attacker.means.keys;
      const ask = (key: string | undefined, controls: string) =>
        attacker.ask({ key, body: small(model, controls) }, end);
      await Promise.all([...several, ...several].map((key) => ask(key, 'fault=500')));
      await delay(coolDownMs, undefined, { signal: end });
      const slow = ask(several[0], 'first_ms=30000');
      const behind = await Promise.all(several.slice(1).map((key) => delay(500).then(() => ask(key, 'tokens=3'))));
      void Promise.allSettled([slow]);
      return behind.find((ending) => ownFault.test(ending)) ?? '200';
    },
  },
];
