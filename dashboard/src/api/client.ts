import { client } from '../../generated/client.gen';
import { errorTexts } from '../i18n';
import { BASE_PATH } from './base-path';
import { type ErrorBody, type FieldError, translateError } from './translate-error';

export type { FieldError };

/** An answer of the API that is no success, or no answer at all. */
export class ApiError extends Error {
  constructor(
    message: string,
    /** For programs, such as `VALIDATION_FAILED`; `UNREACHABLE` without an answer. */
    readonly code: string,
    /** 0 without an answer. */
    readonly status: number,
    /** The invalid fields. */
    readonly details: readonly FieldError[] = [],
    /** The contact that has a number which was to be stored. */
    readonly contact?: ErrorBody['contact'],
  ) {
    super(message);
  }
}

/** Has each call of the generated functions throw `ApiError`. The session is a cookie, which the browser sends by itself. */
export function configureClient(): void {
  client.setConfig({ baseUrl: BASE_PATH, throwOnError: true, credentials: 'same-origin' });
  client.interceptors.request.use((request) => {
    // With the cookie, the service accepts no other type than this one and that of files, because pages of other origins cannot send it.
    const isFile = request.headers.get('content-type') === 'text/csv';
    if (request.method !== 'GET' && !isFile) request.headers.set('content-type', 'application/json');
    return request;
  });
  client.interceptors.error.use((error, response) => toApiError(error, response));
}

function toApiError(error: unknown, response: Response | undefined): ApiError {
  if (error instanceof ApiError) return error;
  if (!response) return new ApiError('', 'UNREACHABLE', 0);
  const given = (typeof error === 'object' ? error : {}) as ErrorBody;
  const texts = errorTexts();
  const body = texts ? translateError(given, texts) : given;
  const message = body.message ?? body.error ?? response.statusText;
  return new ApiError(message, body.code ?? 'UNKNOWN', response.status, body.details ?? [], body.contact);
}
