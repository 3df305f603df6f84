import { answerHeaders, EventBoundary } from './answer';

describe('the headers of an upstream answer', () => {
  it('reach the caller only when they are on the list', () => {
    const headers = {
      'content-type': 'application/json',
      'x-gateway-provider': 'openai',
      'set-cookie': 'a=b',
      'x-ratelimit-remaining-requests': '3',
      'openai-organization': 'ours',
      server: 'x',
    };
    expect(answerHeaders(headers)).toEqual({ 'content-type': 'application/json', 'x-gateway-provider': 'openai' });
  });
});

const stream = Buffer.from('data: {"a":"é"}\n\ndata: 1\r\n\r\n: ping\n\n');
const boundaries = new Set([0, stream.indexOf('\n\n') + 2, stream.indexOf('\r\n\r\n') + 4, stream.length]);

describe('the place between two events', () => {
  it('is found whichever way the bytes are split', () => {
    for (let size = 1; size <= stream.length; size++) {
      const boundary = new EventBoundary();
      expect(boundary.isBetweenEvents).toBe(true);
      for (let at = 0; at < stream.length; at += size) {
        boundary.push(stream.subarray(at, at + size));
        const end = Math.min(at + size, stream.length);
        expect([end, boundary.isBetweenEvents]).toEqual([end, boundaries.has(end)]);
      }
    }
  });
});
