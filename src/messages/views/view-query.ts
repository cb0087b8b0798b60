import { type FieldError, FieldErrors, ValidationFailed } from '../../common/errors';
import { RequestReader } from '../../common/http/requests/request-reader';
import { shapeOf } from '../../common/http/requests/request-shape';
import { createValidationPipe } from '../../common/http/requests/validation.pipe';
import { MessageListRequest } from '../lists/http/message-list.request';
import { parseMessageQuery } from '../lists/message-query';

const pipe = createValidationPipe();

/**
 * Checks a query string as the message list does. A parameter that the list does not have is an error, too.
 * @returns the query without a leading question mark.
 * @throws ValidationFailed with every invalid parameter as `query.<name>`.
 */
export async function parseViewQuery(text: string): Promise<string> {
  const query = text.replace(/^\?/, '');
  try {
    const reader = new RequestReader(shapeOf(MessageListRequest), new Map());
    const read = reader.readQuery(parametersOf(query));
    const errors = new FieldErrors();
    for (const name of reader.ignoredNames) errors.add(name, 'is not a parameter of the message list');
    errors.throwIfAny();
    parseMessageQuery(
      (await pipe.transform(read, { type: 'query', metatype: MessageListRequest })) as MessageListRequest,
    );
  } catch (failure) {
    if (failure instanceof ValidationFailed) throw new ValidationFailed(failure.details.map(inQuery));
    throw failure;
  }
  return query;
}

function parametersOf(query: string): Record<string, string | string[]> {
  const parameters = new URLSearchParams(query);
  return Object.fromEntries(
    [...new Set(parameters.keys())].map((name) => {
      const values = parameters.getAll(name);
      return [name, values.length === 1 && values[0] !== undefined ? values[0] : values];
    }),
  );
}

const inQuery = ({ field, message }: FieldError): FieldError => ({
  field: `query.${field}`,
  message: `query.${message}`,
});
