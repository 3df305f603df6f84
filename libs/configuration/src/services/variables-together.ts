/** Variables that mean something only together. */
export const variablesTogether: readonly { readonly group: readonly string[]; readonly message: string }[] = [
  { group: ['EDGE_TLS_CERT', 'EDGE_TLS_KEY'], message: 'set both, or neither for plain HTTP' },
  { group: ['OIDC_ISSUER', 'OIDC_CLIENT_ID', 'OIDC_CLIENT_SECRET'], message: 'set all three, or none' },
  { group: ['SMTP_URL', 'SMTP_FROM'], message: 'set both, or neither to keep mails here' },
];
