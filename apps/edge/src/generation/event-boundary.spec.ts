import { EventBoundary } from './event-boundary';

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
