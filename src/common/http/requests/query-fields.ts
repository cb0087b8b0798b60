import { applyDecorators } from '@nestjs/common';
import { ApiPropertyOptional } from '@nestjs/swagger';
import { Transform } from 'class-transformer';
import { IsIn, IsInt, IsOptional, IsString } from 'class-validator';

// Query parameters: every value is text, and a repeated parameter is a list.

/** An optional integer, clamped to its range. */
export function OptionalInteger(
  description: string,
  from: number,
  to: number,
  fallback: number,
): PropertyDecorator {
  return applyDecorators(
    ApiPropertyOptional({
      type: 'integer',
      description: `${description}. Values out of range are clamped`,
      minimum: from,
      maximum: to,
      default: fallback,
    }),
    Transform(({ value }: { value: unknown }) =>
      typeof value === 'string' && /^-?\d+$/.test(value)
        ? Math.min(to, Math.max(from, Number(value)))
        : value,
    ),
    IsOptional(),
    IsInt({ message: `$property must be a whole number` }),
  );
}

interface ChoiceOptions {
  readonly default?: string;
  readonly deprecated?: boolean;
}

/** An optional choice, case-insensitive. */
export function OptionalChoice(
  description: string,
  choices: readonly string[],
  options: ChoiceOptions = {},
): PropertyDecorator {
  return applyDecorators(
    ApiPropertyOptional({ enum: choices, description, ...options }),
    Transform(({ value }: { value: unknown }) =>
      typeof value === 'string'
        ? (choices.find((choice) => choice.toLowerCase() === value.toLowerCase()) ?? value)
        : value,
    ),
    IsOptional(),
    IsIn(choices, { message: `$property must be one of ${choices.join(', ')}` }),
  );
}

/** An optional text that must not be repeated. */
export function OptionalParameter(description: string, example: string): PropertyDecorator {
  return applyDecorators(
    ApiPropertyOptional({ type: String, description, example }),
    IsOptional(),
    IsString({ message: '$property must be given once' }),
  );
}

/** The place in a list that `encodeCursor` writes. */
export const Cursor = (description = 'nextCursor of the previous page'): PropertyDecorator =>
  OptionalParameter(description, 'MTc2OTg2MDgwMDAwMC42NjVmMWMyYWI3ZTFkNGE5YzBmM2U4MTIuZGVzYw');
