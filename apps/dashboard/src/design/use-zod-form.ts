import { zodResolver } from '@hookform/resolvers/zod';
import { useForm } from 'react-hook-form';
import type { DefaultValues, FieldValues, UseFormReturn } from 'react-hook-form';
import type { z } from 'zod/mini';

/** A form whose values have the shape, told when first left and then at every change. */
export function useZodForm<Values extends FieldValues>(
  shape: z.core.$ZodType<Values, Values>,
  defaultValues: DefaultValues<Values>,
): UseFormReturn<Values, unknown, Values> {
  return useForm({ resolver: zodResolver(shape), defaultValues, mode: 'onTouched' });
}
