import { memberOf } from '../request/read-values';
import { demand } from '../request/refusal';

type Body = Record<string, unknown>;

/**
 * From GPT-5.6 on what a request writes into the cache is told and charged, before it costs nothing.
 * https://developers.openai.com/api/docs/guides/prompt-caching
 */
export function tellsCacheWrites(model: string): boolean {
  return /^gpt-(?:5\.[6-9]|[6-9])/.test(model);
}

/**
 * How long what is written stays: 30 minutes, or, where responses ask GPT-6.1 Terra or GPT-6.2 for it, 12
 * hours.
 * https://developers.openai.com/api/docs/models/gpt-6.2-sol (prices of both)
 * https://dev.to/aihubmix/gpt-61-terra-cost-breakdown-effort-tokens-the-272k-repricing-rule-and-cache-writes-351a
 * @throws Refusal for another time
 */
export function cacheLifetime(body: Body, model: string, dialect: 'chat' | 'responses'): '30m' | '12h' {
  const { ttl = '30m' } = memberOf(body, 'prompt_cache_options');
  const long = dialect === 'responses' && /^gpt-6\.(?:1-terra|2)/.test(model);
  const known = long ? ['30m', '12h'] : ['30m'];
  demand(
    typeof ttl === 'string' && known.includes(ttl),
    `Invalid value: '${String(ttl)}'. Supported values are: ${known.map((each) => `'${each}'`).join(' and ')}.`,
    { param: 'prompt_cache_options.ttl', code: 'invalid_value' },
  );
  return ttl === '12h' ? ttl : '30m';
}
