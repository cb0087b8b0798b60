import 'reflect-metadata';
import type { Type } from '@nestjs/common';
import { defaultMetadataStorage } from 'class-transformer/cjs/storage';
import { getMetadataStorage, ValidationTypes } from 'class-validator';
import { AppError } from '../../errors';
import { ACCEPTS_NULL, IS_DICTIONARY } from './fields';

/** Limit of a list without `@ArrayMaxSize`. */
const DEFAULT_MAX_ITEMS = 100;

const FROM_PHONE = Symbol('phone-request');
const COMBINED = Symbol('combined-request');
const FOREIGN_NAMES = Symbol('foreign-names');
const STRICT = Symbol('strict-request');
const UNSUGGESTED = Symbol('unsuggested-fields');

export class MalformedBody extends AppError {
  readonly kind = 'invalid';
  readonly code = 'MALFORMED_BODY';
}

/** The fields of a DTO, read from its decorators. */
export interface RequestShape {
  readonly fields: ReadonlyMap<string, FieldShape>;
  /** Unknown fields are never an error. */
  readonly isFromPhone: boolean;
  /** If every unknown field is an error: those that are ignored nevertheless. */
  readonly readOnlyFields?: readonly string[];
  /** Corrections of misplaced fields name other routes. */
  readonly isCombined?: boolean;
  /** Fields by their names in other services, see `ForeignNames`. */
  readonly foreignNames?: ReadonlyMap<string, string>;
  /** A field elsewhere in the request is never taken for one of these. */
  readonly isUnsuggested?: boolean;
}

export interface FieldShape {
  readonly isList: boolean;
  readonly maxItems: number;
  /** Whether the limit comes from `@ArrayMaxSize`. */
  readonly hasOwnLimit: boolean;
  /** Type that form values are converted to. */
  readonly primitiveType: 'string' | 'number' | 'boolean';
  /** Whether null is a value; otherwise it counts as absent. */
  readonly acceptsNull: boolean;
  readonly nested?: RequestShape;
  /** The class of `nested`. */
  readonly nestedType?: Type;
  /** Of an object with any keys, whose values are lists. */
  readonly dictionary?: { readonly maxKeys: number; readonly maxItems: number };
}

/**
 * For DTOs that phones send, because a phone retries a rejected request forever: unknown and misspelt fields are ignored, and a
 * list without `@ArrayMaxSize` is truncated. A field whose type is wrong is still rejected, unless its decorator says otherwise.
 */
export const PhoneRequest = markAs(FROM_PHONE);

/**
 * For DTOs in which an ignored field would do harm, such as a filter: every unknown one is rejected.
 * @param readOnly fields of the response that are ignored, so that a client can send back what it has read.
 */
export const StrictRequest =
  (readOnly: readonly string[]): ClassDecorator =>
  (target) => {
    Reflect.defineMetadata(STRICT, readOnly, target);
  };

/** For DTOs that combine those of other routes. */
export const CombinedRequest = markAs(COMBINED);

/** For DTOs whose field names are common, such as from and to: in another request they are no mistake. */
export const UnsuggestedFields = markAs(UNSUGGESTED);

/**
 * For DTOs where a field must not be ignored if it has the name of another service.
 * @param names fields of the request by those names, which are in lower case, without `_` and `-`.
 */
export const ForeignNames =
  (names: ReadonlyMap<string, string>): ClassDecorator =>
  (target) => {
    Reflect.defineMetadata(FOREIGN_NAMES, names, target);
  };

function markAs(mark: symbol): () => ClassDecorator {
  return () => (target) => {
    Reflect.defineMetadata(mark, true, target);
  };
}

const shapes = new WeakMap<Type, RequestShape>();

export function shapeOf(type: Type): RequestShape {
  const cached = shapes.get(type);
  if (cached) return cached;
  const fields = new Map<string, FieldShape>();
  const shape = {
    fields,
    isFromPhone: Reflect.getMetadata(FROM_PHONE, type) === true,
    readOnlyFields: Reflect.getMetadata(STRICT, type) as readonly string[] | undefined,
    isCombined: Reflect.getMetadata(COMBINED, type) === true,
    isUnsuggested: Reflect.getMetadata(UNSUGGESTED, type) === true,
    foreignNames: Reflect.getMetadata(FOREIGN_NAMES, type) as ReadonlyMap<string, string> | undefined,
  };
  shapes.set(type, shape);
  const storage = getMetadataStorage();
  const rules = storage.groupByPropertyName(storage.getTargetValidationMetadatas(type, '', false, false));
  for (const [name, fieldRules] of Object.entries(rules)) {
    const limit = fieldRules.find((rule) => rule.name === 'arrayMaxSize')?.constraints[0] as
      number | undefined;
    const [maxKeys, maxItems] = (fieldRules.find((rule) => rule.name === IS_DICTIONARY)?.constraints ??
      []) as number[];
    const nested = fieldRules.some((rule) => rule.type === ValidationTypes.NESTED_VALIDATION)
      ? nestedTypeOf(type, name)
      : undefined;
    fields.set(name, {
      isList: fieldRules.some((rule) => rule.name === 'isArray'),
      maxItems: limit ?? DEFAULT_MAX_ITEMS,
      hasOwnLimit: limit !== undefined,
      primitiveType: primitiveTypeOf(fieldRules),
      acceptsNull: fieldRules.some((rule) => rule.name === ACCEPTS_NULL),
      ...(nested && { nested: shapeOf(nested), nestedType: nested }),
      ...(maxKeys !== undefined && maxItems !== undefined && { dictionary: { maxKeys, maxItems } }),
    });
  }
  return shape;
}

function primitiveTypeOf(rules: readonly { readonly name?: string }[]): FieldShape['primitiveType'] {
  if (rules.some(({ name }) => name === 'isBoolean')) return 'boolean';
  return rules.some(({ name }) => name === 'isNumber' || name === 'isInt') ? 'number' : 'string';
}

function nestedTypeOf(type: Type, property: string): Type | undefined {
  const found = defaultMetadataStorage.findTypeMetadata(type, property);
  return found?.typeFunction() as Type | undefined;
}
