import { markOf } from './carried-seal';

const quote = 0x22;
const space = 0x20;

/**
 * Names the provider in front of each seal in the JSON of an answer, the value of the member `name`, since no
 * other organisation can open it: when the conversation goes on elsewhere, it is left out there. Inside a
 * string the member's quotes are escaped, so that a text which speaks of it is not touched. The very same
 * bytes where nothing is sealed.
 */
export function withMarkedSeals(bytes: Buffer, name: 'encrypted_content' | 'signature', providerId: string): Buffer {
  const member = Buffer.from(`"${name}":`);
  const mark = Buffer.from(markOf(providerId));
  const pieces: Buffer[] = [];
  let written = 0;
  for (let at = bytes.indexOf(member); at >= 0; at = bytes.indexOf(member, at + member.length)) {
    let value = at + member.length;
    while (bytes[value] === space) value++;
    if (bytes[value] !== quote || bytes[value + 1] === quote) continue;
    pieces.push(bytes.subarray(written, value + 1), mark);
    written = value + 1;
  }
  return written === 0 ? bytes : Buffer.concat([...pieces, bytes.subarray(written)]);
}
