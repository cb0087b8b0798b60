import { applyDecorators } from '@nestjs/common';
import { ApiPropertyOptional } from '@nestjs/swagger';
import { Transform } from 'class-transformer';
import { IsIn, IsInt, IsOptional, IsString, Max, Min } from 'class-validator';

// Query parameters. In a query every value is text, and one that is given twice arrives as a list.

/** A whole number in decimal digits. */
export function OptionalWholeNumber(
  description: string,
  from: number,
  to: number,
  fallback: number,
): PropertyDecorator {
  const message = `$property must be a whole number from ${from} to ${to}`;
  return applyDecorators(
    ApiPropertyOptional({ type: 'integer', description, minimum: from, maximum: to, default: fallback }),
    Transform(({ value }: { value: unknown }) =>
      typeof value === 'string' && /^\d{1,15}$/.test(value) ? Number(value) : value,
    ),
    IsOptional(),
    IsInt({ message }),
    Min(from, { message }),
    Max(to, { message }),
  );
}

interface ChoiceFacts {
  readonly default?: string;
  readonly deprecated?: boolean;
}

/** One of these words. */
export function OptionalChoice(
  description: string,
  choices: readonly string[],
  facts: ChoiceFacts = {},
): PropertyDecorator {
  return applyDecorators(
    ApiPropertyOptional({ enum: choices, description, ...facts }),
    IsOptional(),
    IsIn(choices, { message: `$property must be one of ${choices.join(', ')}` }),
  );
}

/** Text, given once. */
export function OptionalParameter(description: string, example: string): PropertyDecorator {
  return applyDecorators(
    ApiPropertyOptional({ type: String, description, example }),
    IsOptional(),
    IsString({ message: '$property must be given once' }),
  );
}
