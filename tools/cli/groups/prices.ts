import { pricesList, pricesSet, pricesRemove, pricesWithdraw, pricesHistory } from '../commands/prices';
import { pricesUpdate } from '../commands/prices-update';
import type { MakeCommand } from '../gateway';

export const commands: readonly MakeCommand[] = [
  pricesList,
  pricesSet,
  pricesRemove,
  pricesWithdraw,
  pricesHistory,
  pricesUpdate,
];
