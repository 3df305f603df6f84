import { ControlError } from '@tollgate/contracts';
import { CommanderError } from 'commander';
import { exitCodes, failureOf, Refusal } from './failure';

describe('a failed command', () => {
  it('says what the service said when it refused', () => {
    expect(failureOf(new ControlError('conflict', 'The key is revoked.'))).toEqual({
      message: 'The key is revoked.',
      exitCode: exitCodes.refused,
    });
  });

  it('says what to look at when nobody answers, with an exit code of its own', () => {
    const { message, exitCode } = failureOf(new ControlError('unavailable', 'Nobody answers.'));
    expect(message).toContain('Nobody answers.\nIs the gateway running?');
    expect(exitCode).toBe(exitCodes.unavailable);
  });

  it('leaves a wrong command line to commander, whose codes differ by version', () => {
    expect(failureOf(new CommanderError(1, 'commander.unknownOption', 'x'))).toEqual({ message: null, exitCode: 2 });
    expect(failureOf(new CommanderError(0, 'commander.helpDisplayed', 'x'))).toEqual({ message: null, exitCode: 0 });
  });

  it('never shows a stack trace', () => {
    for (const error of [new Refusal('no'), new TypeError('odd'), 'text', null]) {
      expect(failureOf(error).message).not.toMatch(/\n\s+at /);
      expect(failureOf(error).exitCode).toBe(1);
    }
  });
});
