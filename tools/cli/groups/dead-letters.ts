import { deadLettersDrop } from '../commands/dead-letters-drop';
import { deadLettersList } from '../commands/dead-letters-list';
import { deadLettersReplay } from '../commands/dead-letters-replay';
import { deadLettersShow } from '../commands/dead-letters-show';
import type { MakeCommand } from '../gateway';

export const commands: readonly MakeCommand[] = [deadLettersList, deadLettersShow, deadLettersReplay, deadLettersDrop];
