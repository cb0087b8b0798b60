import { applyDecorators, SetMetadata } from '@nestjs/common';
import { ApiSecurity } from '@nestjs/swagger';
import { ApiErrors } from '../common/http/openapi-decorators';
import { TooManyConcurrentRequests } from './auth.errors';

/** Marks the routes that need no account. */
export const IS_PUBLIC = 'is-public';

/** For the few routes people come to before they can show a key or a token. */
export const Public = (): MethodDecorator =>
  applyDecorators(SetMetadata(IS_PUBLIC, true), ApiSecurity({}), ApiErrors(TooManyConcurrentRequests));
