/** Pages for everybody. */
export const visitorPages = [
  ...['/', '/docs', '/docs/reference', '/sign-in', '/sign-up', '/forgot'],
  ...['/reset?token=none', '/verify?token=none', '/join?token=none', '/nowhere'],
];

/** Pages of whoever is signed in. */
export const userPages = [
  ...['/overview', '/overview?by=model', '/statement', '/keys', '/budgets', '/requests', '/requests?show=failures'],
  ...[
    '/models',
    '/models/openai/gpt-5.4-mini',
    '/compare?models=openai/gpt-5.4-mini',
    '/playground',
    '/people',
    '/settings',
  ],
  ...['/keys/{key}', '/requests/{request}', '/projects/{project}', '/budgets/{budget}'],
];

/** Pages of administrators. */
export const adminPages = [
  ...['/admin', '/admin/accounts', '/admin/keys', '/admin/budgets', '/admin/fleet', '/admin/requests'],
  ...['/admin/providers', '/admin/providers/openai', '/admin/deployments'],
  ...[
    '/admin/models',
    '/admin/plans',
    '/admin/prices',
    '/admin/config',
    '/admin/guardrails',
    '/admin/webhooks',
    '/admin/bills',
    '/admin/audit',
    '/admin/dead-letters',
  ],
  ...['/admin/accounts/{account}', '/admin/accounts/{account}/statement', '/admin/keys/{key}'],
  ...['/admin/accounts/{account}/projects/{project}', '/admin/requests/{request}', '/admin/budgets/{budget}'],
];

/** What stands for the things that pages are of, in the addresses above. */
export type Things = Record<'account' | 'key' | 'request' | 'project' | 'budget', string>;

/** The address of a page of these things. */
export const addressOf = (page: string, things: Things): string =>
  page.replaceAll(/\{(\w+)\}/g, (_whole, name: keyof Things) => encodeURIComponent(things[name]));
