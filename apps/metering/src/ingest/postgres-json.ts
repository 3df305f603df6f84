/**
 * JSON that Postgres can read into text columns: a character it cannot hold (NUL, half a surrogate pair)
 * becomes U+FFFD, because usage must not be lost over a strange name.
 * https://www.postgresql.org/docs/current/datatype-json.html
 */
export function postgresJson(value: unknown): string {
  const json = JSON.stringify(value);
  if (!json.includes('\\u0000') && !json.includes('\\ud')) return json;
  // Every escape sequence in turn, so that an escaped backslash before "u0000" is not taken for one.
  return json.replace(/\\(?:u[0-9a-f]{4}|.)/g, (escape) => (/^\\u(0000|d[89a-f])/.test(escape) ? '\\ufffd' : escape));
}
