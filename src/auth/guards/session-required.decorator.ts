import { applyDecorators } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { ApiSecurity } from '@nestjs/swagger';
import { ApiErrors } from '../../common/http/openapi-decorators';
import { SessionRequiredError } from '../sessions/session.errors';

export const IsSessionRequired = Reflector.createDecorator<boolean | undefined>();

/** Requires a session: API keys are refused with SESSION_REQUIRED. */
export const SessionRequired = (): MethodDecorator =>
  applyDecorators(IsSessionRequired(true), ApiSecurity('session'), ApiErrors(SessionRequiredError));
