import { applyDecorators, SetMetadata } from '@nestjs/common';
import { ApiErrors } from '../../common/http/openapi-decorators';
import { EmailNotVerified } from '../auth.errors';

export const IS_VERIFICATION_REQUIRED = 'is-verification-required';

/** Requires an account whose e-mail address was verified at least once. */
export const VerificationRequired = (): MethodDecorator =>
  applyDecorators(SetMetadata(IS_VERIFICATION_REQUIRED, true), ApiErrors(EmailNotVerified));
