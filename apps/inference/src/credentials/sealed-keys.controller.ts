import { Controller } from '@nestjs/common';
import { sealingOperations } from '@tollgate/contracts';
import { Serve } from '@tollgate/messaging';
import type { z } from 'zod';
import { InferenceSettings } from '../settings';

type Reseal = typeof sealingOperations.reseal;

/** Seals keys of providers anew, when the key-encryption key is another one. Tells no key. */
@Controller()
export class SealedKeysController {
  constructor(private readonly settings: InferenceSettings) {}

  @Serve(sealingOperations.reseal)
  reseal({ provider: id, name, baseUrl, sealed }: z.output<Reseal['request']>): z.input<Reseal['reply']> {
    return { sealed: this.settings.ring.reseal({ id, baseUrl }, name, sealed) };
  }
}
