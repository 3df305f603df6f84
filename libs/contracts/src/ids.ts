import { randomFillSync } from 'node:crypto';

/** Random bytes are drawn for many ids at once: a draw costs a system call. */
const pool = Buffer.alloc(4_096);
let poolUsed = pool.length;

/** A UUID version 7 (RFC 9562): unique, and ordered by the millisecond in which it was made. */
export function uuidv7(nowMs: number = Date.now()): string {
  if (poolUsed + 16 > pool.length) {
    randomFillSync(pool);
    poolUsed = 0;
  }
  const bytes = pool.subarray(poolUsed, (poolUsed += 16));
  bytes.writeUIntBE(nowMs, 0, 6);
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x70, 6);
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
  const hex = bytes.toString('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}
