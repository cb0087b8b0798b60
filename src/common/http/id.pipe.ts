import { ArgumentMetadata, Injectable, PipeTransform } from '@nestjs/common';
import { Types } from 'mongoose';
import { ValidationFailed } from '../errors';

/** Reads an id, or answers nothing: 24 hexadecimal digits are an id, all else is not. */
export function parseId(text: string): Types.ObjectId | null {
  return /^[\da-f]{24}$/i.test(text) ? new Types.ObjectId(text) : null;
}

/** Turns a path parameter into an id; a malformed one is a 400 that names it. */
@Injectable()
export class ParseIdPipe implements PipeTransform<string, Types.ObjectId> {
  transform(value: string, metadata: ArgumentMetadata): Types.ObjectId {
    const field = metadata.data ?? 'id';
    const id = parseId(value);
    if (!id) throw new ValidationFailed([{ field, message: `${field} is not a valid id` }]);
    return id;
  }
}
