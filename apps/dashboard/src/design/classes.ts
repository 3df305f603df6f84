/** The names that are there, as one class attribute. */
export const classes = (...names: (string | false | null | undefined)[]): string => names.filter(Boolean).join(' ');
