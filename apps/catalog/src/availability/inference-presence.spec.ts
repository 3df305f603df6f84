import type { SealingKey } from '@tollgate/contracts/catalog';
import { InferencePresence, silenceMs } from './inference-presence';

const announce = (instance: string, providers: string[], sandbox = false) => ({
  instance,
  providers,
  sandbox,
  listed: {},
  opens: [] as SealingKey[],
  faults: {},
});
const providersAt = (presence: InferencePresence, now: number) => [...(presence.reach(now)?.providers ?? [])];

describe('InferencePresence', () => {
  it('knows nothing before the first announcement, or what was known before the start', () => {
    expect(new InferencePresence().reach(0)).toBeNull();
    const before = { sandbox: false, providers: new Set(['openai']), listed: {} };
    expect(new InferencePresence(before).reach(0)).toBe(before);
  });

  it('reaches what any live instance reaches', () => {
    const presence = new InferencePresence();
    presence.hear(announce('a', ['openai']), 0);
    presence.hear(announce('b', ['groq', 'openai']), 0);
    expect(providersAt(presence, 1)).toEqual(['openai', 'groq']);
  });

  it('tells the same object until another word of an instance, or its silence', () => {
    const presence = new InferencePresence();
    presence.hear(announce('a', ['openai']), 0);
    presence.hear(announce('b', ['groq']), 0);
    const before = presence.reach(1);
    expect(presence.reach(2)).toBe(before);
    presence.hear(announce('a', ['openai']), 3);
    expect(presence.reach(3)).not.toBe(before);
    expect(presence.reach(3)).toEqual(before);
    expect(providersAt(presence, 15_000)).toEqual(['openai']);
  });

  it('takes the newest word of an instance', () => {
    const presence = new InferencePresence({ sandbox: false, providers: new Set(['xai']), listed: {} });
    presence.hear(announce('a', ['openai']), 0);
    presence.hear(announce('a', ['groq']), 5);
    expect(providersAt(presence, 6)).toEqual(['groq']);
  });

  it('forgets an instance after 15 seconds of silence, not sooner', () => {
    const presence = new InferencePresence();
    presence.hear(announce('silent', ['openai']), 0);
    presence.hear(announce('live', ['groq']), 5_000);
    expect(silenceMs).toBe(15_000);
    expect(providersAt(presence, 14_999)).toEqual(['openai', 'groq']);
    expect(providersAt(presence, 15_000)).toEqual(['groq']);
  });

  it('keeps the last reach while all are silent, and starts anew with the first that speaks', () => {
    const presence = new InferencePresence();
    presence.hear(announce('a', ['openai']), 0);
    expect(providersAt(presence, 10)).toEqual(['openai']);
    expect(providersAt(presence, 60_000)).toEqual(['openai']);
    presence.hear(announce('b', ['groq']), 61_000);
    expect(providersAt(presence, 61_000)).toEqual(['groq']);
  });

  it('knows what any live instance saw listed, each model once', () => {
    const presence = new InferencePresence();
    const [one, two] = ['one', 'two'].map((name) => ({ name, contextWindow: null }));
    if (!one || !two) throw new Error('two models');
    presence.hear({ ...announce('a', ['home']), listed: { home: [two, one] } }, 0);
    presence.hear({ ...announce('b', ['home']), listed: { home: [one] } }, 0);
    expect(presence.reach(1)?.listed).toEqual({ home: [one, two] });
  });

  it('keeps the list of a provider until an instance that started has asked it, also for one that then lists nothing', () => {
    const presence = new InferencePresence();
    const one = { name: 'one', contextWindow: null };
    presence.hear({ ...announce('a', ['home', 'left']), listed: { home: [one], left: [one] } }, 0);
    presence.reach(1);
    presence.hear(announce('b', ['home']), 20_000);
    expect(presence.reach(20_001)?.listed).toEqual({ home: [one] });
    presence.hear({ ...announce('b', ['home']), listed: { home: [] } }, 20_002);
    expect(presence.reach(20_003)?.listed).toEqual({ home: [] });
  });

  it('keeps the sandbox, too, while all are silent', () => {
    const presence = new InferencePresence();
    presence.hear(announce('a', [], true), 0);
    expect(presence.reach(0)?.sandbox).toBe(true);
    expect(presence.reach(99_000)?.sandbox).toBe(true);
  });

  it('has keys sealed with the newest that every instance opens which opens any', () => {
    const [former, current] = ['former', 'current'].map((id) => ({ id, publicKey: `${id} key` }));
    const presence = new InferencePresence();
    expect(presence.sealing(0)).toBeNull();
    presence.hear(announce('without', []), 0);
    expect(presence.sealing(0)).toBeNull();
    const opening = (instance: string, ...keys: (SealingKey | undefined)[]) =>
      presence.hear({ ...announce(instance, []), opens: keys.flatMap((key) => key ?? []) }, 0);
    opening('restarted', current, former);
    expect([presence.sealing(0), presence.newestSealing(0)]).toEqual([current, current]);
    expect(presence.openedByAny(0)?.toSorted()).toEqual(['current', 'former']);
    opening('not yet', former);
    expect([presence.sealing(0), presence.newestSealing(0)]).toEqual([former, null]);
    expect(presence.openedByAny(0)?.toSorted()).toEqual(['current', 'former']);
    opening('not yet', current, former);
    expect([presence.sealing(0), presence.newestSealing(0)]).toEqual([current, current]);
    opening('stranger', { id: 'strange', publicKey: 'strange key' });
    expect([presence.sealing(0), presence.newestSealing(0)]).toEqual([null, null]);
    expect(presence.openedByAny(0)?.toSorted()).toEqual(['current', 'former', 'strange']);
    expect([presence.sealing(silenceMs), presence.openedByAny(silenceMs)]).toEqual([null, null]);
  });

  it('tells the faults of live instances alone', () => {
    const presence = new InferencePresence();
    presence.hear({ ...announce('a', []), faults: { acme: 'cannot be opened' } }, 0);
    presence.hear(announce('b', ['acme']), 0);
    expect([...presence.faults(1)]).toEqual([['acme', 'cannot be opened']]);
    expect(presence.faults(silenceMs).size).toBe(0);
  });
});
