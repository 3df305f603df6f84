import { useQuery } from '@tanstack/react-query';
import { plan, type Plan } from '@tollgate/contracts/accounts';
import { planOperations } from '@tollgate/contracts/catalog';
import { z } from 'zod/mini';
import { get, post, remove } from './client';

const { list, set } = planOperations;

/** What is set of a plan, as a whole. */
export type PlanLimits = Omit<Plan, 'name' | 'origin' | 'keys' | 'accounts'>;
/** `version`: of the settings that it was made from. `mustBeNew`: it is refused where there is one so named. */
type PlanWish = PlanLimits & { plan: string; version: number; mustBeNew: boolean; reason?: string };

export const fetchPlans = () => get('/api/admin/plans', z.object({ data: z.array(plan) }));
/** Plans of the settings; those in force may be a little older. */
export const fetchPlanSettings = () => get('/api/admin/plans/settings', list.reply);
export const setPlan = (wish: PlanWish) => post('/api/admin/plans', wish, set.reply);
export const removePlan = (name: string) => remove('/api/admin/plans/remove', { plan: name });

/** The plans there are; none until they are told. */
export function usePlans(): Plan[] {
  const { data } = useQuery({ queryKey: ['admin', 'plans'], queryFn: fetchPlans, staleTime: 60_000 });
  return data?.data ?? [];
}
