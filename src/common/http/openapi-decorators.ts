import { applyDecorators, HttpCode, StreamableFile, Type } from '@nestjs/common';
import {
  ApiBody,
  ApiConsumes,
  ApiExtraModels,
  ApiOperation,
  ApiParam,
  ApiResponse,
  type ApiResponseOptions,
  getSchemaPath,
} from '@nestjs/swagger';
import { AppError, ValidationFailed } from '../errors';
import { pathIdsOf } from './requests/path-id.decorator';
import { MalformedBody } from './requests/request-shape';
import { STATUS_BY_KIND } from './responses/error.filter';
import { Page, WithMessage } from './responses/envelope.interceptor';
import { ErrorResponse } from './responses/error.response';
import { SuccessResponse } from './responses/success.response';
import { BodyTooLarge } from './requests/request-body';
import { NOT_CSV } from './requests/streamed-body';

/**
 * An operation of the API, and the ids in its path.
 * @param operationId its name in generated clients; it must never change.
 */
export const ApiEndpoint =
  (operationId: string, summary: string, description: string): MethodDecorator =>
  (target, key, descriptor) => {
    for (const id of pathIdsOf(target, key)) ApiIdParam(id.name, id.description)(target, key, descriptor);
    ApiOperation({ operationId, summary, description })(target, key, descriptor);
  };

/** A decorator of a handler that resolves to the documented response, or streams it. */
type Responds<Response> = <Handler extends (...args: never[]) => Promise<Response | StreamableFile>>(
  target: object,
  key: string | symbol,
  descriptor: TypedPropertyDescriptor<Handler>,
) => void;

interface SuccessOptions {
  /** 200 by default. */
  readonly status?: 200 | 201;
  readonly headers?: ApiResponseOptions['headers'];
}

type Schema = Extract<ApiResponseOptions, { schema: unknown }>['schema'];

const reference = (type: Type): Schema => ({ $ref: getSchemaPath(type) });

const listOf = (type: Type): Schema => ({ type: 'array', items: reference(type) });

const objectOf = (properties: Record<string, Schema>): Schema => ({
  type: 'object',
  required: Object.keys(properties),
  properties,
});

/** Documents the response and sets its status. */
function success(
  description: string,
  schema: Schema,
  types: Type[],
  { status = 200, headers }: SuccessOptions = {},
): MethodDecorator {
  return applyDecorators(
    HttpCode(status),
    ApiExtraModels(...types),
    ApiResponse({ status, description, schema, ...(headers && { headers }) }),
  );
}

/** Documents a response `{data}` with one item, for decorators that combine several. */
export const ApiDataSchema = (type: Type, description: string, options?: SuccessOptions): MethodDecorator =>
  success(description, objectOf({ data: reference(type) }), [type], options);

/** Response `{data}` with one item. */
export const ApiData = <Item>(
  type: Type<Item>,
  description: string,
  options?: SuccessOptions,
): Responds<Item | WithMessage<Item>> => ApiDataSchema(type, description, options);

/** Response `{data: {success: true}}` of a handler without a result. */
export const ApiSuccess = (description: string): Responds<void> =>
  ApiDataSchema(SuccessResponse, description);

/** Response `{data}` with a list. */
export const ApiDataList = <Item>(type: Type<Item>, description: string): Responds<Item[]> =>
  success(description, objectOf({ data: listOf(type) }), [type]);

/** Response `{data, meta}` with a page of a list. */
export const ApiDataPage = <Item, Meta>(
  type: Type<Item>,
  meta: Type<Meta>,
  description: string,
): Responds<Page<Item, Meta>> =>
  success(description, objectOf({ data: listOf(type), meta: reference(meta) }), [type, meta]);

/** Response `{data, message}` with a text; use it with WithMessage. */
export const ApiTextWithMessage = (
  description: string,
  example: string,
  options?: SuccessOptions,
): MethodDecorator =>
  success(
    description,
    objectOf({
      data: { type: 'string', description, example },
      message: { type: 'string', description: 'What to do with it' },
    }),
    [],
    options,
  );

/** Response without an envelope; use it with Unwrapped. */
export const ApiUnwrapped = (type: Type, description: string): MethodDecorator =>
  success(description, reference(type), [type]);

/** Response with a file that is sent while it is written. */
export const ApiFile = (mediaType: string, description: string): MethodDecorator =>
  ApiResponse({
    status: 200,
    description,
    content: { [mediaType]: { schema: { type: 'string', description } } },
    headers: {
      'Content-Disposition': { description: 'The name of the file', schema: { type: 'string' } },
    },
  });

export type DocumentedError = Pick<AppError, 'kind' | 'code' | 'message'> & Partial<Pick<AppError, 'extras'>>;

/** Documented codes by handler: several decorators may document the same error. */
const documented = new WeakMap<object, Set<string>>();

interface ErrorOptions {
  readonly type?: Type;
  readonly headers?: ApiResponseOptions['headers'];
}

export function ApiError(error: DocumentedError, options: ErrorOptions = {}): MethodDecorator {
  return (target, key, descriptor) => {
    const handler = descriptor.value;
    if (typeof handler !== 'function') return;
    const codes = documented.get(handler) ?? new Set();
    documented.set(handler, codes);
    if (codes.has(error.code)) return;
    codes.add(error.code);
    const { code, message } = error;
    const text = error.kind === 'unauthorized' ? { error: message } : { error: message, message };
    ApiResponse({
      status: STATUS_BY_KIND[error.kind],
      description: `\`${code}\`: ${message}`,
      type: options.type ?? ErrorResponse,
      examples: {
        [code]: { summary: code, value: { ...text, code, ...error.extras?.() } },
      },
      ...(options.headers && { headers: options.headers }),
    })(target, key, descriptor);
  };
}

/** Documents error responses of classes whose message is fixed. */
export const ApiErrors = (...errors: (new () => AppError)[]): MethodDecorator =>
  applyDecorators(...errors.map((type) => ApiError(new type())));

export const ApiFieldError = (field: string, error: string): MethodDecorator =>
  ApiError(ValidationFailed.of(field, error));

/** Documents the 401 of a public route. */
export const ApiCredentialError = (): MethodDecorator => ApiResponse({ status: 401 });

export const ApiPathId = (name: string, description: string): MethodDecorator =>
  ApiParam({ name, description, type: String, example: '665f1c2ab7e1d4a9c0f3e812' });

/** An id in the path, with its validation error. */
export const ApiIdParam = (name: string, description: string): MethodDecorator =>
  applyDecorators(ApiPathId(name, description), ApiFieldError(name, 'is not a valid id'));

/** Response 202 `{data}` with one item, of an operation that goes on. */
export const ApiAccepted = (type: Type, description: string): MethodDecorator =>
  applyDecorators(
    ApiExtraModels(type),
    ApiResponse({ status: 202, description, schema: objectOf({ data: reference(type) }) }),
  );

/** A CSV file as the body, with the errors of another one. */
export const ApiCsvBody = (description: string): MethodDecorator =>
  applyDecorators(
    ApiConsumes('text/csv'),
    ApiBody({ required: true, description, schema: { type: 'string', description } }),
    ApiError(new MalformedBody(NOT_CSV)),
  );

/** A JSON body, with the errors of a malformed or too large one. */
export const ApiJsonBody = (type: Type): MethodDecorator =>
  applyDecorators(
    ApiBody({ type }),
    ApiError(new MalformedBody('The request body is not valid JSON')),
    ApiError(new BodyTooLarge()),
  );
