import { z } from 'zod';
import type { FieldPath } from './field-path';

/** The fields that the schema knows at a path, to suggest from; empty where the path leads to no object. */
export function fieldNames(schema: z.core.$ZodType, path: FieldPath): string[] {
  const here = unwrap(schema);
  const [step, ...rest] = path;
  if (step === undefined) return here instanceof z.ZodObject ? Object.keys(shapeOf(here)) : [];
  const next = child(here, step);
  return next ? fieldNames(next, rest) : [];
}

function child(schema: z.core.$ZodType, step: string | number): z.core.$ZodType | undefined {
  if (schema instanceof z.ZodObject) return shapeOf(schema)[step];
  if (schema instanceof z.ZodArray) return schema.element;
  if (schema instanceof z.ZodRecord) return schema.valueType;
  return undefined;
}

function shapeOf(schema: z.ZodObject): z.core.$ZodShape {
  return schema.shape;
}

/** The schema below optional, nullable, default and transforming layers. */
function unwrap(schema: z.core.$ZodType): z.core.$ZodType {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable || schema instanceof z.ZodDefault)
    return unwrap(schema.unwrap());
  if (schema instanceof z.ZodPipe) return unwrap(schema.in instanceof z.ZodTransform ? schema.out : schema.in);
  return schema;
}
