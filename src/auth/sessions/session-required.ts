import { applyDecorators, SetMetadata } from '@nestjs/common';
import { ApiSecurity } from '@nestjs/swagger';
import { ApiErrors } from '../../common/http/openapi-decorators';
import { SessionRequiredError } from './session.errors';

export const IS_SESSION_REQUIRED = 'is-session-required';

/** Requires a session: API keys are refused with SESSION_REQUIRED. */
export const SessionRequired = (): MethodDecorator =>
  applyDecorators(
    SetMetadata(IS_SESSION_REQUIRED, true),
    ApiSecurity('session'),
    ApiErrors(SessionRequiredError),
  );
