import { administrationOperations, auditLine } from '@tollgate/contracts';
import { z } from 'zod';
import { page, pageOf, route } from '../route';

/** Who did what. */
export const auditRoutes = [
  route({
    method: 'GET',
    path: '/api/admin/audit',
    access: 'administrator',
    summary: 'The audit log, newest first; it only grows',
    query: z.strictObject({ accountId: z.string().min(1).max(200).optional(), ...page(500, 50) }),
    answer: pageOf(auditLine),
    handle: async ({ query }, backstage) => {
      const { lines, next } = await backstage.ask(administrationOperations.listAudit, query);
      return { data: lines, next };
    },
  }),
];
