import { z } from 'zod/mini';

/** As the gateway checks them again. */
export const password = z
  .string()
  .check(z.minLength(12, 'Use at least 12 characters.'), z.maxLength(200, 'Use at most 200 characters.'));
export const email = z
  .string()
  .check(z.maxLength(200, 'This address is too long.'), z.email('Enter an email address, such as ada@example.org.'));
export const personName = z
  .string()
  .check(z.trim(), z.minLength(1, 'Tell us your name.'), z.maxLength(200, 'Use at most 200 characters.'));
