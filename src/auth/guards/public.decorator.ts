import { applyDecorators } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { ApiSecurity } from '@nestjs/swagger';
import { ApiErrors } from '../../common/http/openapi-decorators';
import { TooManyConcurrentRequests } from '../limits/limit.errors';

export const IsPublic = Reflector.createDecorator<boolean | undefined>();

/** Marks a route that needs no authentication. */
export const Public = (): MethodDecorator =>
  applyDecorators(IsPublic(true), ApiSecurity({}), ApiErrors(TooManyConcurrentRequests));
