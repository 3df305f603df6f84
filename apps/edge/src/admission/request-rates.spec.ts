import { callerKey } from '../testing/fake-accounts';
import { FakeClock } from '../testing/fake-clock';
import { MemoryRateLimitStore } from './memory-rate-limit-store';
import { RequestRates } from './request-rates';
import { MemoryTokenRateStore } from './token-rates/memory-token-rate-store';

function rates() {
  const clock = new FakeClock();
  const tokens = new MemoryTokenRateStore(clock);
  return { clock, tokens, rates: new RequestRates(new MemoryRateLimitStore(clock), tokens) };
}

const refusal = (limit: string, reason: string) => ({ status: 429, limit: { limit, reason } });

describe('the limits a minute of a request', () => {
  it('are no matter of a key without any', () => {
    const { rates: none, tokens } = rates();
    expect(none.take(callerKey(), 'openai/a', 1_000_000)).not.toBeInstanceOf(Promise);
    expect(tokens.size).toBe(0);
  });

  it('are those of the key and each of the model; what one refuses takes nothing of the others', async () => {
    const { rates: all } = rates();
    const modelLimits = [
      { model: 'openai/*', rpm: 2, tpm: 500 },
      { model: 'openai/a', rpm: null, tpm: 100 },
    ];
    const key = callerKey({ tpm: 1_000, modelLimits });
    await all.take(key, 'openai/a', 80);
    await expect(all.take(key, 'openai/a', 30)).rejects.toMatchObject(refusal('tokens', 'model_rate_limit'));
    expect(all.tightest(key, 'openai/b')).toMatchObject({ limit: 500, remaining: 420 });
    expect(all.tightest(key, 'openai/a')).toMatchObject({ limit: 100, remaining: 20 });
    expect(all.tightest(key, null)).toMatchObject({ limit: 1_000, remaining: 920 });
    await all.take(key, 'openai/b', 420);
    await expect(all.take(key, 'openai/b', 0)).rejects.toMatchObject(refusal('rpm', 'model_rate_limit'));
    await expect(all.take(key, 'other/c', 501)).rejects.toMatchObject(refusal('tokens', 'tokens_per_minute'));
    await all.take(key, 'other/c', 500);
  });

  it('count what was used when it is known; a request that was refused elsewhere took nothing', async () => {
    const { rates: all } = rates();
    const key = callerKey({ tpm: 100, modelLimits: [{ model: '*', rpm: 1, tpm: null }] });
    (await all.take(key, 'm', 100)).giveBack();
    const rated = await all.take(key, 'm', 100);
    rated.settle(30);
    // It is settled once.
    rated.settle(0);
    expect(all.tightest(key, 'm')).toMatchObject({ remaining: 70 });
    await expect(all.take(key, 'm', 1)).rejects.toMatchObject(refusal('rpm', 'model_rate_limit'));
  });
});
