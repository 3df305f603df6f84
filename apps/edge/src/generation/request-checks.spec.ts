import { checkContentType } from './body-encoding';
import { traceparentOf } from './request-span';

describe('the headers of a generation request', () => {
  it.each(['application/json', 'Application/JSON; charset=utf-8', 'application/vnd.api+json'])('%s is JSON', (type) => {
    expect(() => checkContentType({ 'content-type': type })).not.toThrow();
  });

  it.each([{}, { 'content-type': 'text/json' }, { 'content-type': 'application/jsonp' }, { 'content-type': '' }])(
    '%j is not',
    (headers) => {
      expect(() => checkContentType(headers)).toThrow('Content-Type');
    },
  );

  it.each(['gzip', 'br', 'BR', 'identity', ''])('takes a body in the encoding %j', (encoding) => {
    const headers = { 'content-type': 'application/json', 'content-encoding': encoding };
    expect(() => checkContentType(headers)).not.toThrow();
  });

  it('takes zstd on every Node where there are threads for it', () => {
    const headers = { 'content-type': 'application/json', 'content-encoding': 'zstd' };
    expect(() => checkContentType(headers, true)).not.toThrow();
    const other = { ...headers, 'content-encoding': 'deflate' };
    expect(() => checkContentType(other, true)).toThrow('gzip, br, zstd.');
  });

  it.each(['deflate', 'gzip, br', 'toString'])('refuses the encoding %j, and names those it takes', (encoding) => {
    const headers = { 'content-type': 'application/json', 'content-encoding': encoding };
    expect(() => checkContentType(headers)).toThrow(/Content-Encoding.*gzip, br/);
  });

  it('takes a trace context of the known form only', () => {
    const traceparent = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';
    expect(traceparentOf({ traceparent })).toBe(traceparent);
    expect(traceparentOf({ traceparent: `${traceparent}\n` })).toBeNull();
    expect(traceparentOf({})).toBeNull();
  });
});
