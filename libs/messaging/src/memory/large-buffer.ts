import { largeBytes } from './fair-memory';

/**
 * A buffer of so many bytes, all zero. One that is large lies in memory that threads share: V8 does not count that for a heap
 * (https://chromium.googlesource.com/v8/v8/+/main/src/objects/backing-store.cc, `PerIsolateAccountingLength`), and a thread reads it without a copy and without
 * taking it away. What is counted makes V8 collect the whole heap after each 64 MB: bodies of 29 MiB, four a second, made eight full collections a second, of 20 ms each
 * on every core.
 */
export function bufferOf(bytes: number): Buffer {
  return bytes > largeBytes ? Buffer.from(new SharedArrayBuffer(bytes)) : Buffer.alloc(bytes);
}
