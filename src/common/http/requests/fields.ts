import { applyDecorators } from '@nestjs/common';
import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { Transform } from 'class-transformer';
import { IsBoolean, IsNumber, IsOptional, IsString, MaxLength, MinLength, ValidateBy } from 'class-validator';
import { Printable } from './text-rules';

const MAX_UNIQUE_NAME_LENGTH = 64;

// Phones cannot omit a primitive field: they send null, an empty string or, for most numbers, zero instead of an unknown
// value. Each decorator defines which of these count as absent.

/** A value that counts as absent. */
export const AbsentWhen = (isAbsent: (value: unknown) => boolean): PropertyDecorator =>
  Transform(({ value }: { value: unknown }) => (isAbsent(value) ? undefined : value));

/** An optional field; null counts as absent. @param absent further values that do. */
export const OptionalField = (...absent: readonly unknown[]): PropertyDecorator =>
  applyDecorators(
    AbsentWhen((value) => value === null || absent.includes(value)),
    IsOptional(),
  );

/** The rule that marks a field whose value may be null; see `shapeOf`. */
export const ACCEPTS_NULL = 'acceptsNull';

/** An optional field; null is a value, such as for removing what is stored. */
export const NullableField = (): PropertyDecorator =>
  applyDecorators(IsOptional(), ValidateBy({ name: ACCEPTS_NULL, validator: { validate: () => true } }));

/** The rule that marks a field whose value is an object with any keys; see `shapeOf`. */
export const IS_DICTIONARY = 'isDictionary';

/**
 * An object with any keys, whose values are lists.
 * @param maxKeys the most keys it may have.
 * @param maxItems the most items that each list may have. Their values are checked elsewhere.
 */
export const IsDictionary = (maxKeys: number, maxItems: number): PropertyDecorator =>
  ValidateBy(
    {
      name: IS_DICTIONARY,
      constraints: [maxKeys, maxItems],
      validator: {
        validate: (value) => value === null || (typeof value === 'object' && !Array.isArray(value)),
      },
    },
    { message: '$property must be an object' },
  );

/** An optional text; empty counts as absent. */
export const OptionalText = (description: string, example?: string, maxLength = 512): PropertyDecorator =>
  applyDecorators(
    ApiPropertyOptional({ type: String, description, example, maxLength }),
    OptionalField(''),
    IsString(),
    MaxLength(maxLength),
  );

/** An optional text; empty is a value, which the service rejects. */
export const OptionalString = (description: string, example: string, maxLength = 512): PropertyDecorator =>
  applyDecorators(
    ApiPropertyOptional({ type: String, description, example, maxLength }),
    OptionalField(),
    IsString(),
    MaxLength(maxLength),
  );

/** A name that no other item of the account has. @param note follows the description. */
export const UniqueName = (example: string, { isOptional = false, note = '' } = {}): PropertyDecorator =>
  applyDecorators(
    ApiProperty({
      type: String,
      required: !isOptional,
      minLength: 1,
      maxLength: MAX_UNIQUE_NAME_LENGTH,
      description: `Name, unique within the account${note}`,
      example,
    }),
    ...(isOptional ? [OptionalField()] : []),
    IsString(),
    MinLength(1),
    MaxLength(MAX_UNIQUE_NAME_LENGTH),
    Printable(),
  );

/** An optional number; zero is a value, unless it counts as absent too. */
export const OptionalNumber = (
  description: string,
  example?: number,
  ...absent: readonly number[]
): PropertyDecorator =>
  applyDecorators(
    ApiPropertyOptional({ type: Number, description, example }),
    OptionalField(...absent),
    IsNumber(),
  );

/** An optional number; zero counts as absent. */
export const OptionalNumberZeroAsAbsent = (description: string, example?: number): PropertyDecorator =>
  OptionalNumber(description, example, 0);

export const OptionalBoolean = (description: string): PropertyDecorator =>
  applyDecorators(ApiPropertyOptional({ type: Boolean, description }), OptionalField(), IsBoolean());
