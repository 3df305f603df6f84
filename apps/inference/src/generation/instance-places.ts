import type { GenerationFailure } from '@tollgate/contracts';
import type { PlaceKeeper } from '@tollgate/messaging';
import { Places } from '../health/places';
import { crowdedOut } from './generation-failure';

/**
 * From this share of its calls on, an instance is short of room: the rest is for keys that have less than
 * their share of all. One more key counts than there are, so that also whoever comes next finds room: what
 * runs is not stopped for it.
 */
const shortFrom = 0.75;
const newcomers = 1;

/**
 * The calls that an instance has, by key, those included whose requests still arrive. `maxInFlight`: the most
 * of them.
 */
export class InstancePlaces implements PlaceKeeper {
  private readonly places: Places;

  constructor(private readonly maxInFlight: number) {
    this.places = new Places(maxInFlight);
  }

  enter(keyId: string): GenerationFailure | null {
    const isShort = this.places.inFlight >= this.maxInFlight * shortFrom;
    if (isShort) {
      const share = this.places.shareOf(keyId, newcomers);
      if (share.own >= share.fair) return crowdedOut(share);
    }
    return this.places.enter(keyId) ? null : crowdedOut(this.places.shareOf(keyId, newcomers));
  }

  leave(keyId: string): void {
    this.places.leave(keyId);
  }
}
