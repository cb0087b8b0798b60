import 'reflect-metadata';
import type { Type } from '@nestjs/common';
import { defaultMetadataStorage } from 'class-transformer/cjs/storage';
import { getMetadataStorage, ValidationTypes } from 'class-validator';
import { AppError } from '../errors';

/** The most elements of a list whose field sets no limit of its own. */
const DEFAULT_MAX_ITEMS = 100;

const LENIENT = Symbol('lenient-request');

export class MalformedBody extends AppError {
  readonly kind = 'invalid';
  readonly code = 'MALFORMED_BODY';
}

/** What a request may hold, read from the decorators of its DTO. */
export interface RequestShape {
  readonly fields: ReadonlyMap<string, FieldShape>;
  /** Unknown fields never make the request fail. */
  readonly isLenient: boolean;
}

export interface FieldShape {
  readonly isList: boolean;
  readonly maxItems: number;
  /** Whether the field itself refuses a longer list. */
  readonly hasOwnLimit: boolean;
  /** Absent for a field of plain values. */
  readonly nested?: RequestShape;
}

/**
 * Marks the DTO of a request that phones send. An unknown or misspelt field in it is ignored, because the sender repeats
 * a refused request forever; a list without a limit of its own is cut instead of refused.
 */
export const LenientRequest = (): ClassDecorator => (target) => {
  Reflect.defineMetadata(LENIENT, true, target);
};

const shapes = new WeakMap<Type, RequestShape>();

/** The shape of a DTO class: the fields that have validation decorators, their limits and their nested DTOs. */
export function shapeOf(type: Type): RequestShape {
  const known = shapes.get(type);
  if (known) return known;
  const fields = new Map<string, FieldShape>();
  const shape = { fields, isLenient: Reflect.getMetadata(LENIENT, type) === true };
  shapes.set(type, shape);
  const storage = getMetadataStorage();
  const rules = storage.groupByPropertyName(storage.getTargetValidationMetadatas(type, '', false, false));
  for (const [name, ofField] of Object.entries(rules)) {
    const limit = ofField.find((rule) => rule.name === 'arrayMaxSize')?.constraints[0] as number | undefined;
    const nested = ofField.some((rule) => rule.type === ValidationTypes.NESTED_VALIDATION)
      ? nestedTypeOf(type, name)
      : undefined;
    fields.set(name, {
      isList: ofField.some((rule) => rule.name === 'isArray'),
      maxItems: limit ?? DEFAULT_MAX_ITEMS,
      hasOwnLimit: limit !== undefined,
      ...(nested && { nested: shapeOf(nested) }),
    });
  }
  return shape;
}

function nestedTypeOf(type: Type, property: string): Type | undefined {
  const found = defaultMetadataStorage.findTypeMetadata(type, property);
  return found?.typeFunction() as Type | undefined;
}
