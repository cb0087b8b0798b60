import { applyDecorators } from '@nestjs/common';
import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { Transform } from 'class-transformer';
import { IsBoolean, IsNumber, IsOptional, IsString, MaxLength } from 'class-validator';

// Request fields come from phones that cannot leave a primitive out: what they do not know arrives as null,
// an empty string or, for most numbers, a zero. Each field says here which of those mean "absent".

const AbsentWhen = (isAbsent: (value: unknown) => boolean) =>
  Transform(({ value }: { value: unknown }) => (isAbsent(value) ? undefined : value));

/** A field that may be absent; null counts as absent. What it may be otherwise, further decorators say. */
export const OptionalField = (): PropertyDecorator =>
  applyDecorators(
    AbsentWhen((value) => value === null),
    IsOptional(),
  );

/** Text that may be absent; empty means absent. */
export function OptionalText(description: string, example?: string, longest = 512): PropertyDecorator {
  return applyDecorators(
    ApiPropertyOptional({ type: String, description, example, maxLength: longest }),
    AbsentWhen((value) => value === '' || value === null),
    IsOptional(),
    IsString(),
    MaxLength(longest),
  );
}

/** Text that may be absent. An empty one is not absent: where it decides what happens, it must be refused. */
export function OptionalDecision(description: string, example: string): PropertyDecorator {
  return applyDecorators(
    ApiPropertyOptional({ type: String, description, example, maxLength: 512 }),
    OptionalField(),
    IsString(),
    MaxLength(512),
  );
}

/** A number that may be absent; zero is a value. */
export function OptionalNumber(description: string, example?: number): PropertyDecorator {
  return applyDecorators(
    ApiPropertyOptional({ type: Number, description, example }),
    OptionalField(),
    IsNumber(),
  );
}

/** A number that may be absent; zero means absent. */
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
