import { useQuery } from '@tanstack/react-query';
import { fetchKeys } from '../api/keys';
import { pollMs } from '../usage/use-series';

/** The newest hundred keys of one's own, with what they used. */
export const useKeys = () => useQuery({ queryKey: ['keys'], queryFn: () => fetchKeys(), refetchInterval: 2 * pollMs });
