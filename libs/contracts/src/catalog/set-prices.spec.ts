import { adminSettingsRoutes } from '../edge/admin-settings-routes';
import { setPriceOperations } from './set-prices';

const sheet = { input: '1', output: '2' };
const tier = { aboveInputTokens: 200_000, ...sheet };
const body = adminSettingsRoutes.find(({ path, method }) => path === '/prices' && method === 'POST')?.body;

it.each([
  [{ ...sheet, cachedInput: '0.1', perRequest: '0.01', longContext: [{ ...tier, cachedInput: '0.2' }] }, true],
  [{ ...sheet, terms: { units: { webSearch: '0.01' }, kinds: { imageInput: '3' } } }, true],
  [null, true],
  [{ ...sheet, cachedinput: '0.1' }, false],
  [{ ...sheet, longContext: [{ ...tier, perrequest: '0.2' }] }, false],
  [{ ...sheet, terms: { unit: { webSearch: '0.01' } } }, false],
  [{ ...sheet, terms: { kinds: { images: '3' } } }, false],
])('a price is not set with a word that nobody would be charged by: %j', (prices, isTaken) => {
  const asked = { model: 'a/b', prices };
  expect(setPriceOperations.set.request.safeParse({ ...asked, by: 'ada' }).success).toBe(isTaken);
  expect(body?.safeParse(asked).success).toBe(isTaken);
});
