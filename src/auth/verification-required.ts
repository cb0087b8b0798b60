import { applyDecorators, SetMetadata } from '@nestjs/common';
import { ApiErrors } from '../common/http/openapi-decorators';
import { EmailNotVerified } from './auth.errors';

export const IS_VERIFICATION_REQUIRED = 'is-verification-required';

/** For what outlives a registration: nobody makes it for an address they have not proved to be theirs. */
export const VerificationRequired = (): MethodDecorator =>
  applyDecorators(SetMetadata(IS_VERIFICATION_REQUIRED, true), ApiErrors(EmailNotVerified));
