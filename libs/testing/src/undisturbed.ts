import { patience } from './patience';

/**
 * Does what is exact only while nobody stands still, such as servers that are left after a moment of silence:
 * an attempt that fails after a disturbance says nothing, and is made again. `disturbances` counts them.
 * @throws what the first attempt threw that nothing disturbed, or the last of many.
 */
export async function undisturbed(
  disturbances: () => number,
  attempt: (number: number) => Promise<void>,
): Promise<void> {
  for (let number = 1; ; number++) {
    const before = disturbances();
    try {
      await attempt(number);
      return;
    } catch (error) {
      if (disturbances() === before || number === patience) throw error;
    }
  }
}
