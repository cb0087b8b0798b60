import { applyDecorators, HttpCode, Type } from '@nestjs/common';
import {
  ApiBody,
  ApiExtraModels,
  ApiOperation,
  ApiParam,
  ApiResponse,
  type ApiResponseOptions,
  getSchemaPath,
} from '@nestjs/swagger';
import { AppError, ValidationFailed } from '../errors';
import { MalformedBody } from './requests/request-shape';
import { STATUS_BY_KIND } from './responses/error.filter';
import { ErrorResponse } from './responses/error.response';
import { BodyTooLarge } from './requests/request-body';

/**
 * An operation of the API.
 * @param operationId its name in generated clients; it must never change.
 */
export const ApiEndpoint = (operationId: string, summary: string, description: string): MethodDecorator =>
  ApiOperation({ operationId, summary, description });

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

/** Response `{data}` with one item. */
export const ApiData = (type: Type, description: string, options?: SuccessOptions): MethodDecorator =>
  success(description, objectOf({ data: reference(type) }), [type], options);

/** Response `{data}` with a list. */
export const ApiDataList = (type: Type, description: string): MethodDecorator =>
  success(description, objectOf({ data: listOf(type) }), [type]);

/** Response `{data, meta}` with a page of a list. */
export const ApiDataPage = (type: Type, meta: Type, description: string): MethodDecorator =>
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
    ApiResponse({
      status: STATUS_BY_KIND[error.kind],
      description: `\`${code}\`: ${message}`,
      type: options.type ?? ErrorResponse,
      examples: {
        [code]: { summary: code, value: { error: message, message, code, ...error.extras?.() } },
      },
      ...(options.headers && { headers: options.headers }),
    })(target, key, descriptor);
  };
}

/** Documents error responses of classes whose message is fixed. */
export const ApiErrors = (...errors: (new () => AppError)[]): MethodDecorator =>
  applyDecorators(...errors.map((type) => ApiError(new type())));

export const ApiFieldError = (field: string, error: string): MethodDecorator =>
  ApiError(new ValidationFailed([{ field, message: `${field} ${error}` }]));

/** Documents the 401 of a public route. */
export const ApiCredentialError = (): MethodDecorator => ApiResponse({ status: 401 });

export const ApiPathId = (name: string, description: string): MethodDecorator =>
  ApiParam({ name, description, type: String, example: '665f1c2ab7e1d4a9c0f3e812' });

/** An id in the path, with its validation error. */
export const ApiIdParam = (name: string, description: string): MethodDecorator =>
  applyDecorators(ApiPathId(name, description), ApiFieldError(name, 'is not a valid id'));

/** A JSON body, with the errors of a malformed or too large one. */
export const ApiJsonBody = (type: Type): MethodDecorator =>
  applyDecorators(
    ApiBody({ type }),
    ApiError(new MalformedBody('The request body is not valid JSON')),
    ApiError(new BodyTooLarge()),
  );
