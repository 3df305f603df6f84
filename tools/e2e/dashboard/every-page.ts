/** Pages for everybody. */
export const visitorPages = [
  ...['/', '/docs', '/docs/reference', '/sign-in', '/sign-up', '/forgot'],
  ...['/reset?token=none', '/verify?token=none', '/nowhere'],
];

/** Pages of whoever is signed in. */
export const userPages = [
  ...['/overview', '/overview?by=model', '/statement', '/keys', '/budgets', '/requests', '/requests?show=failures'],
  ...['/models', '/models/openai/gpt-5.4-mini', '/compare?models=openai/gpt-5.4-mini', '/playground', '/settings'],
];

/** Pages of administrators. */
export const adminPages = [
  ...['/admin', '/admin/accounts', '/admin/keys', '/admin/budgets', '/admin/fleet', '/admin/requests'],
  ...['/admin/providers', '/admin/providers/openai', '/admin/deployments'],
  ...[
    '/admin/models',
    '/admin/plans',
    '/admin/config',
    '/admin/guardrails',
    '/admin/bills',
    '/admin/audit',
    '/admin/dead-letters',
  ],
];
