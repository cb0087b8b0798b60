import { applyDecorators } from '@nestjs/common';
import { ApiPropertyOptional } from '@nestjs/swagger';
import { Transform } from 'class-transformer';
import { IsIn, IsInt, IsOptional, IsString } from 'class-validator';

// Query parameters. In a query every value is text, and one that is given twice arrives as a list.

/** A whole number in decimal digits; one that is out of range counts as the nearest in it. */
export function OptionalWholeNumber(
  description: string,
  from: number,
  to: number,
  fallback: number,
): PropertyDecorator {
  return applyDecorators(
    ApiPropertyOptional({
      type: 'integer',
      description: `${description}. Out of range, the nearest value counts`,
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

interface ChoiceFacts {
  readonly default?: string;
  readonly deprecated?: boolean;
}

/** Reads one of these words in any case; anything else stays as it is. */
export const InAnyCase = (choices: readonly string[]): PropertyDecorator =>
  Transform(({ value }: { value: unknown }) =>
    typeof value === 'string'
      ? (choices.find((choice) => choice.toLowerCase() === value.toLowerCase()) ?? value)
      : value,
  );

/** One of these words, in any case. */
export function OptionalChoice(
  description: string,
  choices: readonly string[],
  facts: ChoiceFacts = {},
): PropertyDecorator {
  return applyDecorators(
    ApiPropertyOptional({ enum: choices, description, ...facts }),
    InAnyCase(choices),
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
