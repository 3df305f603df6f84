const quote = 0x22;
const backslash = 0x5c;
const space = 0x20;

/**
 * The bytes of a JSON text without the white space between its tokens. Nothing else is made the same: the
 * order of members can matter to a model (that of a schema decides that of the answer), and numbers are told
 * apart by every digit.
 */
export function significantBytes(json: Uint8Array): Uint8Array {
  const kept = new Uint8Array(json.length);
  let length = 0;
  let inText = false;
  let isEscaped = false;
  for (const byte of json) {
    if (inText) {
      if (isEscaped) isEscaped = false;
      else if (byte === backslash) isEscaped = true;
      else if (byte === quote) inText = false;
    } else if (byte === quote) inText = true;
    // Of what may stand outside of texts in JSON that was parsed, only white space is not above the space
    // character.
    else if (byte <= space) continue;
    kept[length++] = byte;
  }
  return kept.subarray(0, length);
}
