/**
 * Of the people of an account one who administers the gateway, if there is any: of an account that has very
 * many, no more is read.
 */
export const anAdministrator = { where: { role: 'administrator' }, select: { role: true }, take: 1 } as const;
