import { applyDecorators } from '@nestjs/common';
import { ApiPropertyOptional } from '@nestjs/swagger';
import { Transform } from 'class-transformer';
import { Allow } from 'class-validator';
import { cutText } from '../../common/cut-text';

// A phone repeats a refused report for ever, and nobody mends the app that sent it. What it says beside the point
// is therefore read as well as it can be, never refused.

/** Longer than any epoch time in digits. */
const MAX_NUMBER_CHARACTERS = 32;

const read = (value: (raw: unknown) => unknown) =>
  applyDecorators(
    Allow(),
    Transform(({ value: raw }: { value: unknown }) => value(raw)),
  );

/** Epoch milliseconds; what is no time, and zero, is absent. */
export function TolerantTime(description: string): PropertyDecorator {
  return applyDecorators(
    ApiPropertyOptional({ type: Number, description, example: 1767225600000 }),
    read((raw) => {
      const isNumeric = typeof raw === 'string' && raw.length <= MAX_NUMBER_CHARACTERS && raw.trim() !== '';
      const millis = isNumeric ? Number(raw) : raw;
      return typeof millis === 'number' && millis > 0 && millis <= 8.64e15 ? millis : undefined;
    }),
  );
}

/** A text; a number is read as one, what is too long is cut, an empty one and what is no text are absent. */
export function TolerantText(description: string, example: string, maxCharacters: number): PropertyDecorator {
  return applyDecorators(
    ApiPropertyOptional({ type: String, description, example }),
    read((raw) => {
      const text = typeof raw === 'number' ? String(raw) : raw;
      return typeof text === 'string' && text.trim() !== '' ? cutText(text.trim(), maxCharacters) : undefined;
    }),
  );
}

/** A whole number; anything else is absent. */
export function TolerantInteger(description: string, example: number): PropertyDecorator {
  return applyDecorators(
    ApiPropertyOptional({ type: Number, description, example }),
    read((raw) => (Number.isInteger(raw) ? raw : undefined)),
  );
}

/** Whatever it is: whether it can be accepted is decided, and told, later. */
export function Anything(
  type: 'string' | 'number' | 'boolean',
  description: string,
  example: string | number | boolean,
): PropertyDecorator {
  return applyDecorators(ApiPropertyOptional({ type, description, example }), Allow());
}
