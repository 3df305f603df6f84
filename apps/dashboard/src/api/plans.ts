import { plan, planOperations, type Plan } from '@tollgate/contracts';
import { z } from 'zod/mini';
import { get, post } from './client';

const { set, remove } = planOperations;

/** What is set of a plan, as a whole. */
export type PlanWish = Omit<Plan, 'name' | 'origin'> & { plan: string; reason?: string };

export const fetchPlans = () => get('/api/admin/plans', z.object({ data: z.array(plan) }));
export const setPlan = (wish: PlanWish) => post('/api/admin/plans', wish, set.reply);
export const removePlan = (name: string) => post('/api/admin/plans/remove', { plan: name }, remove.reply);
