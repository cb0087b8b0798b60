import { applyDecorators, Type } from '@nestjs/common';
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
import { MalformedBody } from './body-shape';
import { statusOf } from './error.filter';
import { ErrorResponse } from './error.response';
import { BodyTooLarge } from './request-body';

/**
 * An operation of the API.
 * @param operationId its name in generated clients; it must never change.
 */
export const ApiAction = (operationId: string, summary: string, description: string): MethodDecorator =>
  ApiOperation({ operationId, summary, description });

// Success.

interface SuccessOptions {
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

function success(
  description: string,
  schema: Schema,
  types: Type[],
  { status = 200, headers }: SuccessOptions = {},
): MethodDecorator {
  return applyDecorators(
    ApiExtraModels(...types),
    ApiResponse({ status, description, schema, ...(headers && { headers }) }),
  );
}

/** Answers `{data}` with one of the type. */
export const ApiData = (type: Type, description: string, options?: SuccessOptions): MethodDecorator =>
  success(description, objectOf({ data: reference(type) }), [type], options);

/** Answers `{data}` with a list of the type. */
export const ApiDataList = (type: Type, description: string): MethodDecorator =>
  success(description, objectOf({ data: listOf(type) }), [type]);

/** Answers `{data, meta}`: a list of the type, and where it stands. */
export const ApiDataPage = (type: Type, meta: Type, description: string): MethodDecorator =>
  success(description, objectOf({ data: listOf(type), meta: reference(meta) }), [type, meta]);

/** Answers `{data, message}` with a text that is shown only this once; goes with Annotated. */
export const ApiAnnotatedText = (
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

/** Answers without an envelope; goes with AnswersBare. */
export const ApiBare = (type: Type, description: string): MethodDecorator =>
  success(description, reference(type), [type]);

// Errors.

/** What the document tells of an error; every AppError is one. */
export type DocumentedError = Pick<AppError, 'kind' | 'code' | 'message'> & Partial<Pick<AppError, 'extras'>>;

/** The codes that are documented already, by handler: several decorators may name the same one. */
const documented = new WeakMap<object, Set<string>>();

/** What of an error does not follow from its class. */
interface ErrorOptions {
  readonly type?: Type;
  readonly headers?: ApiResponseOptions['headers'];
}

/** Documents one error with the body it has. */
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
      status: statusOf(error.kind),
      description: `\`${code}\`: ${message}`,
      type: options.type ?? ErrorResponse,
      examples: {
        [code]: { summary: code, value: { error: message, message, code, ...error.extras?.() } },
      },
      ...(options.headers && { headers: options.headers }),
    })(target, key, descriptor);
  };
}

/** Documents the errors of these classes, each with the text it comes with. */
export const ApiErrors = (...errors: (new () => AppError)[]): MethodDecorator =>
  applyDecorators(...errors.map((type) => ApiError(new type())));

/** Documents that a field can be refused. */
export const ApiFieldError = (field: string, fault: string): MethodDecorator =>
  ApiError(new ValidationFailed([{ field, message: `${field} ${fault}` }]));

/** Documents the 401 of a route that needs no account. */
export const ApiCredentialError = (): MethodDecorator => ApiResponse({ status: 401 });

// Parameters.

/** An id in the path; a malformed one is a 400. */
export const ApiIdParam = (name: string, description: string): MethodDecorator =>
  applyDecorators(
    ApiParam({ name, description, type: String, example: '665f1c2ab7e1d4a9c0f3e812' }),
    ApiFieldError(name, 'is not a valid id'),
  );

/** A JSON body, which may be unreadable or too large. */
export const ApiJsonBody = (type: Type): MethodDecorator =>
  applyDecorators(
    ApiBody({ type }),
    ApiError(new MalformedBody('The request body is not valid JSON')),
    ApiError(new BodyTooLarge()),
  );
