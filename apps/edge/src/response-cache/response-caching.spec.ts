import { GatewayError } from '@tollgate/contracts';
import { cacheWish } from './response-caching';

const times = { ttlS: 300, maxTtlS: 3_600 };
const wish = (headers: Record<string, string>, cacheTtlS: number | null = null) =>
  cacheWish(headers, { cacheTtlS }, times);

describe('what a request wants of the response cache', () => {
  it('is nothing, unless it or its key says so', () => {
    expect(wish({})).toBeNull();
    expect(wish({ 'x-tollgate-cache-ttl': '60' })).toBeNull();
    expect(wish({}, 60)).toEqual({ isRefresh: false, ttlMs: 60_000 });
    expect(wish({ 'x-tollgate-cache': 'on' })).toEqual({ isRefresh: false, ttlMs: 300_000 });
    expect(wish({ 'x-tollgate-cache': 'refresh' }, 60)).toEqual({ isRefresh: true, ttlMs: 60_000 });
  });

  it('is decided by the request before its key, and bounded by the operator', () => {
    expect(wish({ 'x-tollgate-cache': 'off' }, 60)).toBeNull();
    expect(wish({ 'x-tollgate-cache-ttl': '7' }, 60)).toEqual({ isRefresh: false, ttlMs: 7_000 });
    expect(wish({ 'x-tollgate-cache': 'on', 'x-tollgate-cache-ttl': '999999999' })?.ttlMs).toBe(3_600_000);
    expect(wish({}, 30 * 86_400)?.ttlMs).toBe(3_600_000);
  });

  it.each<Record<string, string>>([
    { 'x-tollgate-cache': 'yes' },
    { 'x-tollgate-cache': '' },
    { 'x-tollgate-cache': 'on', 'x-tollgate-cache-ttl': '0' },
    { 'x-tollgate-cache': 'on', 'x-tollgate-cache-ttl': '-1' },
    { 'x-tollgate-cache': 'on', 'x-tollgate-cache-ttl': '1.5' },
  ])('cannot be %j', (headers) => {
    expect(() => wish(headers)).toThrow(GatewayError);
  });
});
