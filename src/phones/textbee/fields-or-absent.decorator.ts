import { applyDecorators } from '@nestjs/common';
import { ApiPropertyOptional } from '@nestjs/swagger';
import { Transform } from 'class-transformer';
import { Allow } from 'class-validator';
import { readPhoneTime } from '../../common/phone-time';
import { truncateText } from '../../common/text/truncate-text';

// Released apps cannot be fixed and retry a refused report indefinitely, so invalid optional fields are ignored.

const parseWith = (parse: (raw: unknown) => unknown) =>
  applyDecorators(
    Allow(),
    Transform(({ value: raw }: { value: unknown }) => parse(raw)),
  );

/** Epoch milliseconds, or a time in ISO 8601; anything else becomes undefined. Whether it can be right is for its reader to decide. */
export function TimeOrAbsent(description: string): PropertyDecorator {
  return applyDecorators(
    ApiPropertyOptional({ type: Number, description, example: 1767225600000 }),
    parseWith(readPhoneTime),
  );
}

/** A text; numbers are converted, long texts truncated, and empty texts and other types become undefined. */
export function TextOrAbsent(description: string, example: string, maxCharacters: number): PropertyDecorator {
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
export function IntegerOrAbsent(description: string, example: number): PropertyDecorator {
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
