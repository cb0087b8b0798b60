import { ArgumentMetadata, Injectable, PipeTransform } from '@nestjs/common';
import { Types } from 'mongoose';
import { AppError, ValidationFailed } from '../../errors';

export const INVALID_ID = 'is not a valid id';

/** @returns null unless the text has 24 hexadecimal digits. */
export function parseId(text: string): Types.ObjectId | null {
  return /^[\da-f]{24}$/i.test(text) ? new Types.ObjectId(text) : null;
}

/** Parses the id of a path parameter. @throws ValidationFailed */
@Injectable()
export class ParseIdPipe implements PipeTransform<string, Types.ObjectId> {
  transform(value: string, { data: field = 'id' }: ArgumentMetadata): Types.ObjectId {
    const id = parseId(value);
    if (!id) throw this.errorOf(field);
    return id;
  }

  protected errorOf(field: string): AppError {
    return ValidationFailed.of(field, INVALID_ID);
  }
}
