const quote = 0x22;
const backslash = 0x5c;
const space = 0x20;
/** Of longer data so much stands at its beginning, and so much at its end, bytes. */
const keptBytes = 65_536;
/** By so much of its end data is told from other. */
const endBytes = 32;
/** Base64 is of four characters each. */
const group = 4;

/** Data as it is left, by its length and its end, and how long it came. Characters. */
export interface CutData {
  readonly length: number;
  readonly wholeLength: number;
  readonly end: string;
}

/** Whether a text is what this data was cut to. */
export function isCut({ length, end }: CutData, text: string): boolean {
  return text.length === length && text.endsWith(end);
}

/**
 * The same JSON, of whose long data (pictures, files: texts without spaces) the middle is left out: nobody
 * here looks at it, and to parse it would hold up whoever else asks this process, which no provider does.
 * `onCut` hears of each, in their order.
 */
export function withShortData(json: Buffer, onCut?: (data: CutData) => void): Buffer {
  const pieces: Buffer[] = [];
  let from = 0;
  for (let open = json.indexOf(quote); open >= 0;) {
    const close = closingQuote(json, open + 1);
    if (close < 0) break;
    const left = Math.floor((close - open - 1 - 2 * keptBytes) / group) * group;
    const middle = open + 1 + keptBytes;
    if (left > 0 && isData(json.subarray(open + 1, close))) {
      pieces.push(json.subarray(from, middle));
      from = middle + left;
      onCut?.({
        length: close - open - 1 - left,
        wholeLength: close - open - 1,
        end: json.toString('latin1', close - endBytes, close),
      });
    }
    open = json.indexOf(quote, close + 1);
  }
  return from === 0 ? json : Buffer.concat([...pieces, json.subarray(from)]);
}

function isData(text: Buffer): boolean {
  return isAscii(text[Math.floor(text.length / 2)]) && !text.includes(space) && !text.includes(backslash);
}

/** Text in a script that has no spaces is not data. */
function isAscii(byte: number | undefined): boolean {
  return byte !== undefined && byte < 0x80;
}

/** Where a text ends that has begun in front of `from`; -1: it does not. */
function closingQuote(json: Buffer, from: number): number {
  for (let at = json.indexOf(quote, from); at >= 0; at = json.indexOf(quote, at + 1)) {
    let slashes = 0;
    while (at - 1 - slashes >= from && json[at - 1 - slashes] === backslash) slashes++;
    if (slashes % 2 === 0) return at;
  }
  return -1;
}
