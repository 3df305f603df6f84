/** Variables that mean something only together. */
export const variablesTogether: readonly { readonly group: readonly string[]; readonly message: string }[] = [
  { group: ['EDGE_TLS_CERT', 'EDGE_TLS_KEY'], message: 'set both, or neither for plain HTTP' },
  { group: ['OIDC_ISSUER', 'OIDC_CLIENT_ID', 'OIDC_CLIENT_SECRET'], message: 'set all three, or none' },
  {
    group: ['TOLLGATE_INIT_ADMIN_EMAIL', 'TOLLGATE_INIT_ADMIN_PASSWORD'],
    message: 'set both, or neither to make the first administrator by hand',
  },
  { group: ['SMTP_URL', 'SMTP_FROM'], message: 'set both, or neither to keep mails here' },
];
