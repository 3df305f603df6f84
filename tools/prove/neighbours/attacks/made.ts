import type { Attacker } from '../attacker';

/**
 * What is made by the first request of an attacker, and used by all of them. What was refused, or broken off
 * by the end of a round, is made again.
 */
export function made<Value>(make: (attacker: Attacker, end: AbortSignal) => Promise<Value>) {
  const values = new WeakMap<Attacker, Promise<Value>>();
  return async (attacker: Attacker, end: AbortSignal): Promise<Value> => {
    const value = values.get(attacker) ?? make(attacker, end);
    values.set(attacker, value);
    try {
      return await value;
    } catch (error) {
      if (values.get(attacker) === value) values.delete(attacker);
      throw error;
    }
  };
}
