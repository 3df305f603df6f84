import type { GenerationFailure } from '@tollgate/contracts';
import type { PlaceKeeper, Owner } from '@tollgate/messaging';
import { callerOf } from '../health/caller-window';
import { Places } from '../health/places';
import { crowdedOut } from './generation-failure';

/**
 * From this share of its calls on, an instance is short of room: the rest is for keys that have less than
 * their share of all, and the last of it for keys of accounts that have less than theirs. One more account
 * counts than there are, so that also whoever comes next finds room: what runs is not stopped for it. Who
 * comes second hears so of a third, which is what the first one leaves.
 */
const shortFrom = 2 / 3;
const scarceFrom = 0.875;
const newcomers = 1;

/**
 * The calls that an instance has, by account and key, those included whose requests still arrive.
 * `maxInFlight`: the most of them.
 */
export class InstancePlaces implements PlaceKeeper {
  private readonly places: Places;

  constructor(private readonly maxInFlight: number) {
    this.places = new Places(maxInFlight);
  }

  enter(owner: Owner): GenerationFailure | null {
    const caller = callerOf(owner);
    const used = this.places.inFlight / this.maxInFlight;
    if (used >= shortFrom) {
      const share = this.places.shareOf(caller, newcomers);
      if (share.own >= share.fair || (used >= scarceFrom && !share.isOwed)) return crowdedOut(share);
    }
    return this.places.enter(caller) ? null : crowdedOut(this.places.shareOf(caller, newcomers));
  }

  leave(owner: Owner): void {
    this.places.leave(callerOf(owner));
  }
}
