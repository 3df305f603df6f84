/**
 * Stands where the email of the operator's own account would. No request for access can claim it, because it
 * is no address.
 */
export const operatorEmail = 'operator';
