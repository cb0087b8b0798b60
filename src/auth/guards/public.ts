import { applyDecorators, SetMetadata } from '@nestjs/common';
import { ApiSecurity } from '@nestjs/swagger';
import { ApiErrors } from '../../common/http/openapi-decorators';
import { TooManyConcurrentRequests } from '../auth.errors';

export const IS_PUBLIC = 'is-public';

/** Marks a route that needs no authentication. */
export const Public = (): MethodDecorator =>
  applyDecorators(SetMetadata(IS_PUBLIC, true), ApiSecurity({}), ApiErrors(TooManyConcurrentRequests));
