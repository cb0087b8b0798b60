import { applyDecorators } from '@nestjs/common';
import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { Transform } from 'class-transformer';
import { IsBoolean, IsNumber, IsOptional, IsString, MaxLength } from 'class-validator';

// Phones cannot omit a primitive field: an unknown value is sent as null, an empty string or, for most numbers, zero. Each
// decorator defines which of these count as absent.

const AbsentWhen = (isAbsent: (value: unknown) => boolean) =>
  Transform(({ value }: { value: unknown }) => (isAbsent(value) ? undefined : value));

/** An optional field; null counts as absent. */
export const OptionalField = (): PropertyDecorator =>
  applyDecorators(
    AbsentWhen((value) => value === null),
    IsOptional(),
  );

/** An optional text; empty counts as absent. */
export function OptionalText(description: string, example?: string, maxLength = 512): PropertyDecorator {
  return applyDecorators(
    ApiPropertyOptional({ type: String, description, example, maxLength }),
    AbsentWhen((value) => value === '' || value === null),
    IsOptional(),
    IsString(),
    MaxLength(maxLength),
  );
}

/** An optional text that is rejected when it is empty. */
export function OptionalStrictText(description: string, example: string): PropertyDecorator {
  return applyDecorators(
    ApiPropertyOptional({ type: String, description, example, maxLength: 512 }),
    OptionalField(),
    IsString(),
    MaxLength(512),
  );
}

/** An optional number; zero is a value. */
export function OptionalNumber(description: string, example?: number): PropertyDecorator {
  return applyDecorators(
    ApiPropertyOptional({ type: Number, description, example }),
    OptionalField(),
    IsNumber(),
  );
}

/** An optional number; zero counts as absent. */
export function OptionalNonZero(description: string, example?: number): PropertyDecorator {
  return applyDecorators(
    ApiPropertyOptional({ type: Number, description, example }),
    AbsentWhen((value) => value === 0 || value === null),
    IsOptional(),
    IsNumber(),
  );
}

export function OptionalFlag(description: string): PropertyDecorator {
  return applyDecorators(ApiPropertyOptional({ type: Boolean, description }), OptionalField(), IsBoolean());
}

// Response fields.

export const Id = (description: string) =>
  ApiProperty({ type: String, description, example: '665f1c2ab7e1d4a9c0f3e812' });
export const Time = (description: string) =>
  ApiProperty({ type: String, format: 'date-time', description, example: '2026-01-31T12:00:00.000Z' });
export const TimeIfKnown = (description: string) =>
  ApiPropertyOptional({
    type: String,
    format: 'date-time',
    description,
    example: '2026-01-31T12:00:00.000Z',
  });
