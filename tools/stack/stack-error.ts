/**
 * The stack cannot start or go on for a reason that a person can mend: the message says what happened and
 * what to do.
 */
export class StackError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'StackError';
  }
}
