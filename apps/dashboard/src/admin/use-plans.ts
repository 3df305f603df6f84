import { useQuery } from '@tanstack/react-query';
import type { Plan } from '@tollgate/contracts';
import { fetchPlans } from '../api/plans';

/** The plans there are; none until they are told. */
export function usePlans(): Plan[] {
  const { data } = useQuery({ queryKey: ['admin', 'plans'], queryFn: fetchPlans, staleTime: 60_000 });
  return data?.data ?? [];
}
