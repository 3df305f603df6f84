/**
 * Characters that look like a Latin letter, a digit or a hyphen, by what they look like: the single
 * characters among Unicode's confusables, version 17.0.0, that NFKC leaves as they are
 * (https://www.unicode.org/reports/tr39/#Confusable_Detection,
 * https://www.unicode.org/Public/security/17.0.0/confusables.txt). Not in it: scripts that are written from
 * right to left, and decimal digits of other scripts, which have a value. Capitals that Unicode counts with l
 * are given as I, and the ideographic zero as 0.
 */
const lookalikes: Readonly<Record<string, string>> = {
  '-': '‐‒–⁃˗−➖ⲻⲺ',
  0: '〇',
  2: 'ꝚƧϨꙄᒿꛯ',
  3: '𝈆ꞫȜƷꝪⲜⳄⳌЗӠ𖼻𑣊',
  4: 'Ꮞ𑢯',
  5: 'Ƽ𑢻',
  6: 'ⳓⳒϬⳜбᏮ𑣕',
  7: '𝈒𐓒𑣆',
  8: 'ଃȣȢ𐌚',
  9: 'ꝮⳋⳊ𑣌𑢬𑣖',
  A: 'ΑАᎪᗅꓮ𖽀𐊠',
  B: 'ꞴΒⲂВᏴᗷꓐ𐊂𐊡𐌁',
  C: '🝌𑣲ⲤСᏟꓚ𐊢𐌂𐐕𐔜',
  D: 'Ꭰᗞᗪꓓ',
  E: '⋿ΕЕⴹᎬꓰ𑢦𑢮𐊆',
  F: '𝈓ꞘϜᖴꓝ𑣂𑢢𐊇𐊥𐔥',
  G: 'ԌᏀᏳꓖ',
  H: 'ΗⲎНᎻᕼꓧ𐋏',
  I: 'ƖΙⲒІӀ',
  J: 'ꞲͿЈᎫᒍꓙ',
  K: 'ΚⲔКᏦᛕꓗ𐔘',
  L: '𝈪ⳐᏞᒪꓡ𖼖𑢣𑢲𐐛𐔦',
  M: 'ΜϺⲘМᎷᗰᛖꓟ𐊰𐌑',
  N: 'ΝⲚꓠ𐔓',
  O: 'ΟⲞОՕⵔዐଠ𐓂ꓳ𑢵𐊒𐊫𐐄𐔖',
  P: 'ΡⲢⳎРᏢᑭꓑ𐊕',
  Q: 'ⵕ',
  R: '𝈖ƦᎡᏒ𐒴ᖇꓣ𖼵',
  S: 'ЅՏᏕᏚꓢ𖼺𐊖𐐠',
  T: '⊤⟙🝨ΤⲦТᎢꓔ𖼊𑢼𐊗𐊱𐌕',
  U: '∪⋃Սሀ𐓎ᑌꓴ𖽂𑢸',
  V: '𝈍ѴⴸᏙᐯꛟꓦ𖼈𑢠𐔝',
  W: '𑣯ԜᎳᏔꓪ',
  X: '᙭╳𐌢𑣬ꞳΧⲬХⵝᚷꓫ𐊐𐊴𐌗𐔧',
  Y: 'ΥⲨУҮᎩᎽꓬ𖽃𑢤𐊲',
  Z: '𐋵ΖᏃꓜ𑢩',
  a: '⍺ɑαа',
  b: 'ƄЬᏏᑲᖯ𖺶',
  c: 'ᴄⲥсငၚꮯ𐐽',
  d: 'ԁᏧᑯꓒ',
  e: '℮ꬲеҽ',
  f: 'ꬵꞙƒẝք',
  g: 'ɡᶃƍց',
  h: 'һհᏂ',
  i: '⍳ıɪɩιⲓіꙇւꭵᎥ𑣃',
  j: 'ϳј',
  l: '∣⏽𐌠ǀӏⵏᛁꓲ𖼨𐊊𐌉𑷚𖺪',
  n: 'ոռ',
  o: 'ంಂംංᴏᴑꬽοσⲟϭоჿօഠဝ𐓪𑣈𑣗𐐬',
  p: '⍴þƿρϸⲣⳏр',
  q: 'ԛգզ',
  r: 'ꭇꭈᴦⲅгꮁ',
  s: 'ꜱƽѕടꮪ𑣁𐑈',
  u: 'ꞟᴜꭎꭒʋυս𐓶𑣘',
  v: '∨⋁ᴠνѵ𑜆ꮩ𑣀',
  w: 'ɯᴡⲽѡшԝա𑜊𑜎𑜏ꮃ',
  x: '᙮×⤫⤬⨯хᕁᕽ',
  y: 'ɣᶌʏỿꭚγⲩуүყ𑣜',
  z: 'ᴢꮓ𑣄',
};

/** Small capitals, by their letter, and the small letters of other scripts that Unicode counts with them. */
const smallCapitals: Readonly<Record<string, string>> = {
  a: 'ᴀ',
  b: 'ʙв',
  d: 'ᴅ',
  e: 'ᴇ',
  f: 'ꜰ',
  g: 'ɢ',
  h: 'ʜн',
  j: 'ᴊ',
  k: 'ᴋĸкκ',
  l: 'ʟ',
  m: 'ᴍм',
  n: 'ɴ',
  p: 'ᴘ',
  q: 'ꞯ',
  r: 'ʀ',
  t: 'ᴛтτ',
};

/**
 * Latin letters with a stroke, a hook or a tail, which are parts of them for Unicode, unlike accents: those
 * whose names say so (`LATIN SMALL LETTER O WITH STROKE`), of Unicode 14.0.0.
 * https://www.unicode.org/Public/14.0.0/ucd/UnicodeData.txt
 */
const withStrokes: Readonly<Record<string, string>> = {
  A: 'Ⱥ',
  B: 'ƁƂɃꞖ',
  C: 'ƇȻꞒꟄ',
  D: 'ĐƊƋꟇ',
  E: 'Ɇ',
  F: 'Ƒ',
  G: 'ƓǤꞠ',
  H: 'ĦⱧꞪ',
  I: 'Ɨ',
  J: 'Ɉ',
  K: 'ƘⱩꝀꝂꝄꞢ',
  L: 'ŁȽⱠⱢꝈꞭ',
  M: 'Ɱ',
  N: 'ƝȠꞐꞤ',
  O: 'ØƟꝊꝌ',
  P: 'ƤⱣꝐꝒꝔ',
  Q: 'ꝖꝘ',
  R: 'ɌⱤꞦ',
  S: 'ⱾꞨꟅꟉ',
  T: 'ŦƬƮȾ',
  U: 'Ꞹ',
  V: 'ƲꝞ',
  W: 'Ⱳ',
  Y: 'ƳɎỾ',
  Z: 'ƵȤⱫⱿꟆ',
  a: 'ᶏⱥ',
  b: 'ƀƃɓᵬᶀꞗ',
  c: 'ƈȼɕꞓꞔ𝼝',
  d: 'đƌȡɖɗᵭᶁᶑꟈ',
  e: 'ɇᶒⱸꬴ',
  f: 'ᵮᶂ',
  g: 'ǥɠꞡ',
  h: 'ħɦⱨꞕ',
  i: 'ɨᶖ𝼚',
  j: 'ɉʝ',
  k: 'ƙᶄⱪꝁꝃꝅꞣ',
  l: 'łƚȴɫɬɭᶅⱡꝉꞎꬷꬸꬹ𝼑𝼓',
  m: 'ɱᵯᶆꬺ',
  n: 'ƞȵɲɳᵰᶇꞑꞥꬻ',
  o: 'øⱺꝋꝍ𝼛',
  p: 'ƥᵱᵽᶈꝑꝓꝕ',
  q: 'ɋʠꝗꝙ',
  r: 'ɍɼɽɾᵲᵳᶉꞧꭉ𝼖',
  s: 'ȿʂᵴᶊꞩꟊ𝼞',
  t: 'ŧƫƭȶʈᵵⱦ𝼉',
  u: 'ᶙꞹ',
  v: 'ⱱⱴꝟ',
  w: 'ⱳ',
  x: 'ᶍꭖꭗꭘꭙ',
  y: 'ƴɏ',
  z: 'ƶȥɀʐʑᵶᶎⱬ',
};

/**
 * Letters and digits in circles, in squares and of flags, which NFKC leaves as they are: where rows of them
 * begin, by what stands in each of these rows.
 * https://www.unicode.org/charts/PDF/U1F100.pdf https://www.unicode.org/charts/PDF/U2460.pdf
 * https://www.unicode.org/charts/PDF/U2700.pdf
 */
const enclosed: Readonly<Record<string, string>> = {
  0: '⓿🄋🄌',
  123456789: '⓵❶➀➊',
  ABCDEFGHIJKLMNOPQRSTUVWXYZ: '🅐🅰🇦',
};

/** What a character looks like, by the character. */
export const confusables: ReadonlyMap<string, string> = new Map([
  ...[lookalikes, smallCapitals, withStrokes].flatMap((table) =>
    Object.entries(table).flatMap(([plain, alike]) => [...alike].map((character) => [character, plain] as const)),
  ),
  ...Object.entries(enclosed).flatMap(([row, beginnings]) => [...beginnings].flatMap((first) => rowOf(first, row))),
]);

/** The characters of a row, each with what it stands for. */
function rowOf(first: string, row: string): (readonly [string, string])[] {
  const begins = first.codePointAt(0) ?? 0;
  return Array.from(row, (plain, at) => [String.fromCodePoint(begins + at), plain] as const);
}
