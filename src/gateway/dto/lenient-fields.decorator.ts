import { applyDecorators } from '@nestjs/common';
import { ApiPropertyOptional } from '@nestjs/swagger';
import { Transform } from 'class-transformer';
import { Allow } from 'class-validator';
import { truncateText } from '../../common/text/truncate-text';

// Released apps cannot be fixed and retry a refused report indefinitely, so invalid optional fields are ignored.

const MAX_NUMBER_CHARACTERS = 32;

const parseWith = (parse: (raw: unknown) => unknown) =>
  applyDecorators(
    Allow(),
    Transform(({ value: raw }: { value: unknown }) => parse(raw)),
  );

/** Epoch milliseconds; an invalid time and zero become undefined. */
export function LenientTime(description: string): PropertyDecorator {
  return applyDecorators(
    ApiPropertyOptional({ type: Number, description, example: 1767225600000 }),
    parseWith((raw) => {
      const isNumeric = typeof raw === 'string' && raw.length <= MAX_NUMBER_CHARACTERS && raw.trim() !== '';
      const millis = isNumeric ? Number(raw) : raw;
      return typeof millis === 'number' && millis > 0 && millis <= 8.64e15 ? millis : undefined;
    }),
  );
}

/** A text; numbers are converted, long texts truncated, and empty texts and other types become undefined. */
export function LenientText(description: string, example: string, maxCharacters: number): PropertyDecorator {
  return applyDecorators(
    ApiPropertyOptional({ type: String, description, example }),
    parseWith((raw) => {
      const text = typeof raw === 'number' ? String(raw) : raw;
      return typeof text === 'string' && text.trim() !== ''
        ? truncateText(text.trim(), maxCharacters)
        : undefined;
    }),
  );
}

/** An integer; anything else becomes undefined. */
export function LenientInteger(description: string, example: number): PropertyDecorator {
  return applyDecorators(
    ApiPropertyOptional({ type: Number, description, example }),
    parseWith((raw) => (Number.isInteger(raw) ? raw : undefined)),
  );
}

/** A field of any type; the service validates it. */
export function UnvalidatedField(
  type: 'string' | 'number' | 'boolean',
  description: string,
  example: string | number | boolean,
): PropertyDecorator {
  return applyDecorators(ApiPropertyOptional({ type, description, example }), Allow());
}
