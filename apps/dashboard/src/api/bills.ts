import { driftLine, driftRequest, readBill } from '@tollgate/contracts/metering';
import type { DriftLine } from '@tollgate/contracts/metering';
import { z } from 'zod/mini';
import { get } from './client';

/** The bills of these days (YYYY-MM-DD, both included), and their lines beside ours. */
export const fetchBills = (from: string, to: string) =>
  get('/api/admin/bills', z.object({ lines: z.array(driftLine), bills: z.array(readBill) }), { from, to });

/**
 * The requests behind a line; 200 at most of `count`. What is empty is asked for as such: a bill may name no
 * model or no kind.
 */
export const fetchDriftRequests = ({ provider, day, model, kind }: DriftLine) =>
  get(
    `/api/admin/bills/requests?${new URLSearchParams({ provider, day, model, kind })}`,
    z.object({ requests: z.array(driftRequest), count: z.number() }),
  );
