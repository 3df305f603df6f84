/** What the codes of Node, undici and OpenSSL mean for whoever wrote the address. */
const reasons: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nobody listens there',
  ENOTFOUND: 'no host has this name',
  EAI_AGAIN: 'the name of the host cannot be looked up now',
  EHOSTUNREACH: 'there is no way to this host',
  ENETUNREACH: 'there is no way to this network',
  ECONNRESET: 'the server broke the connection off',
  UND_ERR_SOCKET: 'the server closed the connection',
  HTTPParserError: 'what the server answers is no HTTP',
  HPE_INVALID_EOF_STATE: 'the server closed the connection before its answer was whole',
  UND_ERR_CONNECT_TIMEOUT: 'the host does not answer',
  TimeoutError: 'it does not answer in time',
  ERR_SSL_WRONG_VERSION_NUMBER: 'it speaks http, not https',
  ERR_SSL_PACKET_LENGTH_TOO_LONG: 'it speaks http, not https',
  EPROTO: 'it speaks http, not https',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'its certificate is signed by itself: NODE_EXTRA_CA_CERTS names authorities to trust',
  SELF_SIGNED_CERT_IN_CHAIN: 'its certificate is not trusted: NODE_EXTRA_CA_CERTS names authorities to trust',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'its certificate is not trusted: NODE_EXTRA_CA_CERTS names authorities to trust',
  ERR_TLS_CERT_ALTNAME_INVALID: 'its certificate is for another name',
  CERT_HAS_EXPIRED: 'its certificate has expired',
};

/** So a server of HTTPS ends what does not begin with TLS. */
const codesOfHttps = new Set(['ECONNRESET', 'UND_ERR_SOCKET', 'HTTPParserError']);

/**
 * A system's or library's error code with what it means, where that is known. `url`: what was asked, or its
 * beginning; null where the server has shown by an answer that it speaks as it was asked.
 */
export function plainReason(code: string, url: string | null): string {
  const reason = Object.hasOwn(reasons, code) ? reasons[code] : undefined;
  const question = url?.startsWith('http:') && codesOfHttps.has(code) ? '; does it speak https instead of http?' : '';
  return reason ? `${reason}${question} (${code})` : code;
}

/**
 * The system's or a library's code of an error, which fetch keeps in its cause; else its name. undici 7.30
 * gives what its parser refuses a name and no code. One of these, known by its text alone, is an answer whose
 * connection ended before it was whole: it has the code of the parser then.
 */
export function codeOf(error: unknown): string {
  const { name, message, code, cause } = error as Partial<Error> & { code?: unknown };
  if (typeof code === 'string') return code;
  if (cause) return codeOf(cause);
  const isCutOff = name === 'HTTPParserError' && message?.includes('Invalid EOF state');
  return isCutOff ? 'HPE_INVALID_EOF_STATE' : (name ?? 'unknown');
}
