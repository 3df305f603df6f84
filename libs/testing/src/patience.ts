/**
 * How many times as long as promised a test waits, or lets something take, before it calls it late: tests run
 * on machines that do other things too.
 * The times themselves are measured by `npm run prove` and `npm run bench`.
 */
export const patience = 10;
