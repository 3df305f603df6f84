import { Controller } from '@nestjs/common';
import { incidentOperations } from '@tollgate/contracts/catalog';
import { Serve } from '@tollgate/messaging';
import type { z } from 'zod';
import { known } from '../operator/stored';
import { Incidents } from './incidents';

const { list } = incidentOperations;

/** Tells when deployments were kept away from callers. */
@Controller()
export class IncidentsController {
  constructor(private readonly incidents: Incidents) {}

  @Serve(list)
  list(asked: z.output<typeof list.request>): Promise<z.output<typeof list.reply>> {
    return known(this.incidents.list(asked, Date.now()));
  }
}
