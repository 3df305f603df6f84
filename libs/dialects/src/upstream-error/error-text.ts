/** Error bodies are short; of a longer one the rest is not looked at. */
const maxBodyBytes = 64 * 1024;

/** What the body of a refusal says. */
export function errorText({ buffer, byteOffset, byteLength }: Uint8Array): string {
  return Buffer.from(buffer, byteOffset, Math.min(byteLength, maxBodyBytes)).toString('utf8');
}
