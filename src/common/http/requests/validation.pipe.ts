import { type ArgumentMetadata, type Type, ValidationError, ValidationPipe } from '@nestjs/common';
import { type FieldError, FieldErrors, ValidationFailed } from '../../errors';
import { forEachInSlices } from '../../slices';
import { entryValidatorOf } from './entry-validator';
import { shapeOf } from './request-shape';

/** Type rules come first: for a value of another type, the texts of other rules are misleading. */
const TYPE_RULES = ['isArray', 'isString', 'isNumber', 'isInt', 'isBoolean', 'isObject'];

/** Of a longer list of objects, the entries behind are validated one by one, in slices. */
const MAX_ENTRIES_AT_ONCE = 20;

function messageOf(constraints: Readonly<Record<string, string>>): string[] {
  const [first = ''] = Object.keys(constraints);
  const rule = TYPE_RULES.find((name) => name in constraints) ?? first;
  return Object.entries(constraints).flatMap(([name, text]) => (name === rule ? [text] : []));
}

function fieldErrorsOf(errors: readonly ValidationError[], parent = ''): FieldError[] {
  return errors.flatMap((error) => {
    const field = parent + error.property;
    const errorsOfField = messageOf(error.constraints ?? {}).map((text) => ({
      field,
      // class-validator begins its texts with the property name, without the path.
      message: parent && text.startsWith(error.property) ? parent + text : text,
    }));
    return [...errorsOfField, ...fieldErrorsOf(error.children ?? [], `${field}.`)];
  });
}

interface LongList {
  readonly name: string;
  readonly entryType: Type<object>;
  readonly entries: readonly Readonly<Record<string, unknown>>[];
}

/** Validates bodies and queries; invalid fields are a ValidationFailed. Long lists of objects are validated in slices. */
class RequestValidationPipe extends ValidationPipe {
  constructor() {
    super({
      whitelist: true,
      transform: true,
      exceptionFactory: (errors) => new ValidationFailed(fieldErrorsOf(errors)),
    });
  }

  override async transform(value: unknown, metadata: ArgumentMetadata): Promise<unknown> {
    const { metatype } = metadata;
    const lists = metatype ? longListsOf(value, metatype) : [];
    if (lists.length === 0) return super.transform(value, metadata) as unknown;
    const errors = new FieldErrors();
    const beginnings = lists.map(({ name, entries }) => [name, entries.slice(0, MAX_ENTRIES_AT_ONCE)]);
    const request = await this.attempt(
      errors,
      { ...(value as object), ...(Object.fromEntries(beginnings) as object) },
      metadata,
    );
    for (const list of lists) {
      const read = await readRest(list, errors);
      const beginning = request?.[list.name];
      if (request && Array.isArray(beginning)) request[list.name] = [...(beginning as unknown[]), ...read];
    }
    errors.throwIfAny();
    return request;
  }

  private async attempt(
    errors: FieldErrors,
    value: object,
    metadata: ArgumentMetadata,
  ): Promise<Record<string, unknown> | undefined> {
    try {
      return (await super.transform(value, metadata)) as Record<string, unknown>;
    } catch (failure) {
      if (!(failure instanceof ValidationFailed)) throw failure;
      errors.addAll(failure);
      return undefined;
    }
  }
}

function longListsOf(value: unknown, metatype: Type): LongList[] {
  if (typeof value !== 'object' || value === null) return [];
  const long = Object.entries(value).filter(
    ([, list]) => Array.isArray(list) && list.length > MAX_ENTRIES_AT_ONCE,
  );
  if (long.length === 0) return [];
  const { fields } = shapeOf(metatype);
  return long.flatMap(([name, entries]): LongList[] => {
    const entryType = fields.get(name)?.nestedType as Type<object> | undefined;
    return entryType ? [{ name, entryType, entries: entries as LongList['entries'] }] : [];
  });
}

/** The entries of a list behind those that are validated at once. */
async function readRest({ name, entryType, entries }: LongList, errors: FieldErrors): Promise<object[]> {
  const validator = entryValidatorOf(entryType);
  const read: object[] = [];
  await forEachInSlices(entries.slice(MAX_ENTRIES_AT_ONCE), (raw, index) => {
    const result = validator.read(raw);
    if ('entry' in result) {
      read.push(result.entry);
      return;
    }
    const path = `${name}.${MAX_ENTRIES_AT_ONCE + index}.`;
    const details = errors.isFull ? [] : fieldErrorsOf(validator.errorsOf(raw), path);
    errors.addAll({ details, total: result.invalidFields });
  });
  return read;
}

export function createValidationPipe(): ValidationPipe {
  return new RequestValidationPipe();
}
