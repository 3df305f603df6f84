import { useQuery } from '@tanstack/react-query';
import { fetchCatalog } from '../api/catalog';

/** The live list; it changes when a provider's credentials come or go. */
export const useCatalog = () => useQuery({ queryKey: ['catalog'], queryFn: fetchCatalog, staleTime: 60_000 });
